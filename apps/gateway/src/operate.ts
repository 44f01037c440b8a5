import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import type { ApiKeyView } from '@switchboard/contracts/gateway/http';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { statement, type Database, type Transaction } from '@switchboard/postgres';
import { scopes } from './identity/admission.contract.js';
import type { ApiKeyInput } from './identity/api-keys.contract.js';
import type { Act } from './identity/audit.contract.js';
import { appendAudit } from './identity/audit/audit.repository.js';
import { changePlan, type PlanChange } from './identity/change-plan/change-plan.js';
import { changeSubscription } from './identity/change-subscription/change-subscription.js';
import {
  countsOfOrganization,
  findOrganization,
  listOrganizationRows,
  listPlans,
  type OrganizationRow,
  type PlanRow,
  type SubscriptionStatus,
} from './identity/organization/organization.repository.js';
import { createApiKey } from './identity/create-api-key/create-api-key.js';
import { endSessions } from './identity/end-sessions/end-sessions.js';
import { organizationsOfUser } from './identity/member/member.repository.js';
import type { Role } from './identity/signed-in.contract.js';
import { resetPassword, type ResetPassword, type Unconfirmed } from './identity/reset-password/reset-password.js';
import { resetSecondFactor } from './identity/reset-second-factor/reset-second-factor.js';
import { sessionBounds } from './identity/session/session.policy.js';
import { countSessionsOfUser } from './identity/user/user.repository.js';
import { revokeApiKey } from './identity/revoke-api-key/revoke-api-key.js';
import { verifyAudit, type VerifiedChain, type VerifyAuditOptions } from './identity/verify-audit/verify-audit.js';
import { accountOf } from './identity/user/account-of.js';

export type { AuditHead, VerifiedChain } from './identity/verify-audit/verify-audit.js';
export {
  subscriptionStatuses,
  type OrganizationRow,
  type PlanOverrides,
} from './identity/organization/organization.repository.js';
export { scopes };
export { momentOf } from './http/input/moment.policy.js';
export type { PlanChange } from './identity/change-plan/change-plan.js';

/** An organization as an operator sees it. */
export interface OrganizationDetail {
  readonly organization: OrganizationRow;
  /** The numbers that count where the organization has none of its own. */
  readonly plan: PlanRow;
  readonly activeKeys: number;
  readonly revokedKeys: number;
  readonly auditEntries: number;
}

/** A counter of messages, on either side of its repair. */
export interface QuotaRepair {
  /** `YYYY-MM` in UTC. */
  readonly month: string;
  readonly usedBefore: number;
  readonly usedAfter: number;
}

/** Attempts a second of a channel, on either side of a change; null: the default. */
export interface ChannelRateChange {
  readonly channelId: string;
  readonly before: number | null;
  readonly after: number | null;
}

/** A person as an operator sees them. */
export interface UserDetail {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly sessions: number;
  readonly organizations: readonly { readonly id: string; readonly name: string; readonly role: Role }[];
}

/** What an operator does with organizations; what changes anything is in the audit log, in the same transaction. */
export interface Operation {
  /** A page by id. @param after the last id of the page before; empty for the first */
  organizations(after: string, limit: number): Promise<OrganizationRow[]>;
  /** The id of the one that has this id, else of the only one that has this name. @throws AppError NOT_FOUND, CONFLICT */
  idOf(organization: string): Promise<string>;
  /** @throws AppError NOT_FOUND, CONFLICT */
  organization(idOrName: string): Promise<OrganizationDetail>;
  /** @throws AppError NOT_FOUND, CONFLICT, VALIDATION_FAILED */
  changePlan(idOrName: string, change: PlanChange): Promise<OrganizationRow>;
  /** @throws AppError NOT_FOUND, CONFLICT */
  changeSubscription(idOrName: string, status: SubscriptionStatus): Promise<OrganizationRow>;
  /** Makes a key with the secret that is shown once. @throws AppError NOT_FOUND, CONFLICT */
  createApiKey(idOrName: string, input: ApiKeyInput): Promise<{ readonly key: ApiKeyView; readonly secret: string }>;
  /** @throws AppError API_KEY_NOT_FOUND */
  revokeApiKey(keyId: string): Promise<ApiKeyView>;
  /** Writes into the log that a counter was set, in the transaction that sets it: the counter itself is messaging's. */
  appendQuotaRepair(tx: Transaction, id: string, repair: QuotaRepair): void;
  /** Writes into the log that a channel got another rate, in the transaction that sets it: the rate itself is messaging's. */
  appendChannelRate(tx: Transaction, id: string, change: ChannelRateChange): void;
  /** Writes into the log that an unknown outcome is awaited no longer, in the transaction that ends the wait. */
  appendGivenUp(tx: Transaction, id: string, messageId: string): void;
  /** A person by their address. @throws AppError NOT_FOUND */
  user(email: string): Promise<UserDetail>;
  /** See `resetPassword`. @throws AppError NOT_FOUND */
  resetPassword(email: string, unconfirmed?: Unconfirmed): Promise<ResetPassword>;
  /** See `resetSecondFactor`. @throws AppError NOT_FOUND; CONFLICT */
  resetSecondFactor(email: string): Promise<number>;
  /** Ends all sessions of a person. @returns how many @throws AppError NOT_FOUND */
  endSessions(email: string): Promise<number>;
  /** See `verifyAudit`. */
  verifyAudit(options: VerifyAuditOptions): AsyncGenerator<VerifiedChain>;
}

const organizationsNamed = statement<{ id: string }>(
  'gateway.organizations-named',
  'SELECT id FROM organization WHERE id = $1 OR name = $1 ORDER BY id <> $1 LIMIT 2',
);
const ownerOfKey = statement<{ organizationId: string }>(
  'gateway.owner-of-key',
  'SELECT organization_id AS "organizationId" FROM api_key WHERE id = $1',
);

/** @param operator the name of the operator's account, for the audit log */
export function operate(database: Pick<Database, 'query' | 'transaction'>, operator: string | null): Operation {
  const by = { actor: { type: 'operator', id: operator }, address: null, traceId: null } as const;
  const act = (organizationId: string): Act => ({ organizationId, ...by });
  return {
    organizations: (after, limit) => database.query(listOrganizationRows, [after, limit]),
    idOf: (organization) => idOf(database, organization),
    organization: async (organization) => detailOf(database, await idOf(database, organization)),
    changePlan: async (organization, change) => changePlan(database, act(await idOf(database, organization)), change),
    changeSubscription: async (organization, status) =>
      changeSubscription(database, act(await idOf(database, organization)), status),
    createApiKey: async (organization, input) => {
      const id = await idOf(database, organization);
      return database.transaction((tx) => createApiKey(tx, act(id), input));
    },
    revokeApiKey: async (keyId) => {
      const [owner] = await database.query(ownerOfKey, [keyId]);
      if (!owner) throw new AppError(gatewayErrors.API_KEY_NOT_FOUND, `There is no API key ${keyId}`);
      return revokeApiKey(database, act(owner.organizationId), keyId);
    },
    appendQuotaRepair: (tx, id, { month, usedBefore, usedAfter }) => {
      const [before, after] = [
        { month, used: usedBefore },
        { month, used: usedAfter },
      ];
      appendAudit(tx, { ...act(id), action: 'quota.repaired', before, after });
    },
    appendChannelRate: (tx, id, { channelId, before, after }) => {
      const [was, is] = [before, after].map((perSecond) => ({ id: channelId, perSecond: perSecond ?? 'default' }));
      appendAudit(tx, { ...act(id), action: 'channel.changed', before: was ?? null, after: is ?? null });
    },
    appendGivenUp: (tx, id, messageId) => {
      const after = { id: messageId, code: 'UPSTREAM_OUTCOME_UNKNOWN' };
      appendAudit(tx, { ...act(id), action: 'message.given-up', before: null, after });
    },
    user: (email) => userOf(database, email),
    resetPassword: (email, unconfirmed) => resetPassword(database, by, email, unconfirmed),
    resetSecondFactor: (email) => resetSecondFactor(database, by, email),
    endSessions: (email) => endSessions(database, by, email),
    verifyAudit: (options) => verifyAudit(database, options),
  };
}

async function idOf(database: Pick<Database, 'query'>, organization: string): Promise<string> {
  const [first, other] = await database.query(organizationsNamed, [organization]);
  if (!first) throw new AppError(serviceErrors.NOT_FOUND, `There is no organization ${organization}`);
  // Whatever another one calls itself, an id names the one that has it.
  if (other && first.id !== organization) {
    throw new AppError(serviceErrors.CONFLICT, `${organization} is the name of several: give an id`);
  }
  return first.id;
}

async function userOf(database: Pick<Database, 'query'>, email: string): Promise<UserDetail> {
  const user = await accountOf(database, email);
  const { seenAfter, signedInAfter } = sessionBounds(Date.now());
  const [counted] = await database.query(countSessionsOfUser, [user.id, seenAfter, signedInAfter]);
  const organizations = await database.query(organizationsOfUser, [user.id]);
  return { id: user.id, email: user.email, name: user.name, sessions: counted?.sessions ?? 0, organizations };
}

async function detailOf(database: Pick<Database, 'query'>, id: string): Promise<OrganizationDetail> {
  const [organization] = await database.query(findOrganization, [id]);
  const plan = (await database.query(listPlans, [])).find(({ name }) => name === organization?.plan);
  const [counts] = await database.query(countsOfOrganization, [id]);
  if (!organization || !plan || !counts) {
    throw new AppError(serviceErrors.NOT_FOUND, `There is no organization ${id}`);
  }
  return { organization, plan, ...counts };
}
