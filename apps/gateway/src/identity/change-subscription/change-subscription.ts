import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { Database } from '@switchboard/postgres';
import type { Act } from '../audit.contract.js';
import { appendAudit } from '../audit/audit.repository.js';
import { appendOrganizationChanged } from '../organization/organization-event.js';
import {
  lockOrganizationPlan,
  updateSubscription,
  type OrganizationRow,
  type SubscriptionStatus,
} from '../organization/organization.repository.js';

/**
 * Sets the status of an organization's subscription; counts from the next request on, and is in the audit log when
 * anything changed.
 *
 * @throws AppError NOT_FOUND for no such organization
 */
export function changeSubscription(
  database: Pick<Database, 'transaction'>,
  act: Act,
  status: SubscriptionStatus,
): Promise<OrganizationRow> {
  return database.transaction(async (tx) => {
    const [before] = await tx.query(lockOrganizationPlan, [act.organizationId]);
    if (!before) throw new AppError(serviceErrors.NOT_FOUND, `There is no organization ${act.organizationId}`);
    if (before.subscription === status) return before;
    const [after] = await tx.query(updateSubscription, [before.id, status]);
    if (!after) throw new Error('a locked row was not updated');
    const [was, is] = [{ subscription: before.subscription }, { subscription: status }];
    appendAudit(tx, { ...act, action: 'subscription.changed', before: was, after: is });
    await appendOrganizationChanged(tx, after);
    return after;
  });
}
