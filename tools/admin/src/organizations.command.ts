import { isOneLine } from '@switchboard/contracts/grammar/one-line';
import {
  operate,
  scopes,
  subscriptionStatuses,
  type Operation,
  type OrganizationDetail,
  type OrganizationRow,
  type PlanOverrides,
} from '@switchboard/gateway/operate';
import type pg from 'pg';
import type { AdminContext } from './admin-context.js';
import { UsageError, type Choices } from './command-line.js';
import { gatewayDatabase } from './gateway-database.js';
import { textTable } from './text-table.js';

const PAGE_ROWS = 500;
/** Of a key's label, in Unicode code points: as the API counts them. */
const LABEL_MAX = 100;
/** The numbers of a plan by the option that sets them, with what they may be at most: PostgreSQL's types and sense. */
const NUMBERS: Readonly<
  Record<string, { readonly field: keyof PlanOverrides; readonly min: number; readonly max: number }>
> = {
  'requests-per-minute': { field: 'requestsPerMinute', min: 1, max: 60_000_000 },
  'request-burst': { field: 'requestBurst', min: 1, max: 1_000_000_000 },
  'messages-per-month': { field: 'messagesPerMonth', min: 0, max: Number.MAX_SAFE_INTEGER },
  channels: { field: 'channels', min: 0, max: 1_000_000 },
  seats: { field: 'seats', min: 0, max: 1_000_000 },
};

/** Lists every organization, by id. */
export async function listOrganizations(
  client: pg.ClientBase,
  { json }: Choices,
  { operator }: Pick<AdminContext, 'operator'>,
): Promise<string[]> {
  const operation = await operationOn(client, operator);
  const rows: OrganizationRow[] = [];
  for (let after = ''; ;) {
    const page = await operation.organizations(after, PAGE_ROWS);
    rows.push(...page);
    after = page.at(-1)?.id ?? '';
    if (page.length < PAGE_ROWS) break;
  }
  if (json) return rows.map((row) => JSON.stringify(row));
  if (rows.length === 0) return ['There are no organizations.'];
  const shown = rows.map(({ id, name, plan, subscription, createdAt, ...numbers }) => {
    const overrides = Object.entries(numbers).filter(([, value]) => value !== null);
    return { id, plan, subscription, overrides: overrides.length, createdAt, name };
  });
  return textTable(shown);
}

/** Shows one with the numbers that count for it. */
export async function showOrganization(
  client: pg.ClientBase,
  { operands: [id], json }: Choices,
  { operator }: Pick<AdminContext, 'operator'>,
): Promise<string[]> {
  const operation = await operationOn(client, operator);
  const detail = await operation.organization(required(id, 'Which organization? Give its id or name.'));
  return json ? [JSON.stringify(detail)] : describe(detail);
}

/** Sets plan and numbers; what is not given stays. */
export async function setPlan(
  client: pg.ClientBase,
  { operands: [id], plan, numbers, resetOverrides, json }: Choices,
  { operator }: Pick<AdminContext, 'operator'>,
): Promise<string[]> {
  const organizationId = required(id, 'Whose plan? Give the id or name of an organization.');
  const overrides = Object.fromEntries(Object.entries(numbers).map(([name, text]) => numberOf(name, text)));
  if (plan === undefined && !resetOverrides && Object.keys(overrides).length === 0) {
    throw new UsageError('What is to be changed? Give --plan, a number, or --reset-overrides.');
  }
  const operation = await operationOn(client, operator);
  await operation.changePlan(organizationId, { plan, isReset: resetOverrides, overrides });
  const detail = await operation.organization(organizationId);
  return json ? [JSON.stringify(detail)] : describe(detail);
}

/** Sets what the subscription stands at. */
export async function setSubscription(
  client: pg.ClientBase,
  { operands: [id, status], json }: Choices,
  { operator }: Pick<AdminContext, 'operator'>,
): Promise<string[]> {
  const organizationId = required(id, 'Whose subscription? Give the id or name of an organization.');
  const known = subscriptionStatuses.find((one) => one === status);
  if (!known) throw new UsageError(`A subscription is ${subscriptionStatuses.join(', ')}; not ${status ?? 'nothing'}.`);
  const row = await (await operationOn(client, operator)).changeSubscription(organizationId, known);
  return [json ? JSON.stringify(row) : `The subscription of ${row.name} (${row.id}) is ${row.subscription}.`];
}

/** Makes a key with the scopes given, or all; its secret is shown here and never again. */
export async function createKey(
  client: pg.ClientBase,
  { operands: [organization], label, scopes: written, json }: Choices,
  { operator }: Pick<AdminContext, 'operator'>,
): Promise<string[]> {
  const owner = required(organization, 'For which organization? Give its id or name.');
  if (label === undefined || label === '' || [...label].length > LABEL_MAX) {
    throw new UsageError('What is the key for? Give --label, 1 to 100 characters.');
  }
  if (!isOneLine(label)) {
    throw new UsageError('--label must be one line with a visible character, without control characters.');
  }
  const chosen = written === undefined ? null : scopesOf(written);
  const { key, secret } = await (await operationOn(client, operator)).createApiKey(owner, { label, scopes: chosen });
  if (json) return [JSON.stringify({ ...key, secret })];
  return [
    secret,
    `The key ${key.id} (${key.label}) has ${chosen ? chosen.join(', ') : 'every scope'}. It is not shown again.`,
  ];
}

function scopesOf(written: string): (typeof scopes)[number][] {
  return [...new Set(written.split(','))].map((name) => {
    const scope = scopes.find((one) => one === name.trim());
    if (!scope) throw new UsageError(`There is no scope "${name}"; there are ${scopes.join(', ')}.`);
    return scope;
  });
}

/** Revokes a key at once, for good. */
export async function revokeKey(
  client: pg.ClientBase,
  { operands: [keyId], json }: Choices,
  { operator }: Pick<AdminContext, 'operator'>,
): Promise<string[]> {
  const operation = await operationOn(client, operator);
  const key = await operation.revokeApiKey(required(keyId, 'Which key? Give its id.'));
  return [json ? JSON.stringify(key) : `The key ${key.id} (${key.prefix}…) is revoked since ${key.revokedAt}.`];
}

async function operationOn(client: pg.ClientBase, operator: string | null): Promise<Operation> {
  return operate(await gatewayDatabase(client), operator);
}

function describe({ organization, plan, activeKeys, revokedKeys, auditEntries }: OrganizationDetail): string[] {
  const { id, name, subscription, createdAt } = organization;
  const limits = Object.values(NUMBERS).map(({ field }) => ({
    limit: field,
    counts: organization[field] ?? plan[field],
    plan: plan[field],
    override: organization[field],
  }));
  return [
    `${name} (${id}), since ${createdAt.toISOString()}`,
    `plan ${plan.name}, subscription ${subscription}, ${activeKeys} active and ${revokedKeys} revoked keys, ${auditEntries} entries in the audit log`,
    ...textTable(limits),
  ];
}

function numberOf(name: string, text: string): [keyof PlanOverrides, number] {
  const spec = NUMBERS[name];
  if (!spec) throw new Error(`--${name} is no number of a plan`);
  const { field, min, max } = spec;
  const value = /^(0|[1-9][0-9]*)$/.test(text) ? Number(text) : NaN;
  if (!(value >= min && value <= max)) {
    throw new UsageError(`--${name} must be a whole number from ${min} to ${max}, not "${text}".`);
  }
  return [field, value];
}

function required(operand: string | undefined, question: string): string {
  if (operand === undefined) throw new UsageError(question);
  return operand;
}
