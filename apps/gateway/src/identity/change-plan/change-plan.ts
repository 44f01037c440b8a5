import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { Database } from '@switchboard/postgres';
import type { Act } from '../audit.contract.js';
import { appendAudit } from '../audit/audit.repository.js';
import { appendOrganizationChanged } from '../organization/organization-event.js';
import {
  listPlans,
  lockOrganizationPlan,
  updatePlan,
  type OrganizationRow,
  type PlanOverrides,
} from '../organization/organization.repository.js';

/** What is to be otherwise; what is left out stays as it is. */
export interface PlanChange {
  readonly plan?: string | undefined;
  /** The plan's own numbers come back first. */
  readonly isReset?: boolean;
  readonly overrides?: Partial<PlanOverrides>;
}

/**
 * Sets an organization's plan and the numbers that are excepted from it; counts from the next request on, and is in the
 * audit log when anything changed.
 *
 * @throws AppError NOT_FOUND for no such organization, VALIDATION_FAILED for no such plan
 */
export function changePlan(
  database: Pick<Database, 'transaction'>,
  act: Act,
  { plan, isReset = false, overrides = {} }: PlanChange,
): Promise<OrganizationRow> {
  return database.transaction(async (tx) => {
    const [before] = await tx.query(lockOrganizationPlan, [act.organizationId]);
    if (!before) throw new AppError(serviceErrors.NOT_FOUND, `There is no organization ${act.organizationId}`);
    const plans = (await tx.query(listPlans, [])).map(({ name }) => name);
    const name = plan ?? before.plan;
    if (!plans.includes(name)) {
      throw new AppError(serviceErrors.VALIDATION_FAILED, `There is no plan ${name}; there are ${plans.join(', ')}`);
    }
    const numbers = { ...(isReset ? NO_OVERRIDES : overridesOf(before)), ...overrides };
    const { requestsPerMinute, requestBurst, messagesPerMonth, channels, seats } = numbers;
    const values = [before.id, name, requestsPerMinute, requestBurst, messagesPerMonth, channels, seats];
    const [after] = await tx.query(updatePlan, values);
    if (!after) throw new Error('a locked row was not updated');
    const [was, is] = [audited(before), audited(after)];
    if (JSON.stringify(was) !== JSON.stringify(is)) {
      appendAudit(tx, { ...act, action: 'plan.changed', before: was, after: is });
      await appendOrganizationChanged(tx, after);
    }
    return after;
  });
}

const NO_OVERRIDES: PlanOverrides = {
  requestsPerMinute: null,
  requestBurst: null,
  messagesPerMonth: null,
  channels: null,
  seats: null,
};

function overridesOf(row: OrganizationRow): PlanOverrides {
  const { requestsPerMinute, requestBurst, messagesPerMonth, channels, seats } = row;
  return { requestsPerMinute, requestBurst, messagesPerMonth, channels, seats };
}

/** Numbers that are null are the plan's. */
function audited(row: OrganizationRow): Readonly<Record<string, unknown>> {
  return { plan: row.plan, ...overridesOf(row) };
}
