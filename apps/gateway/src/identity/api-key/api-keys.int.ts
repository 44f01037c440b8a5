import { beforeAll, describe, expect, it } from '@jest/globals';
import type { NewApiKeyView } from '@switchboard/contracts/gateway/http';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { Database } from '@switchboard/postgres';
import { testServers } from '@switchboard/testing';
import { issueKey } from '../../../test/gateway-harness.js';
import { join, makePerson, makeSession } from '../../../test/people-harness.js';
import { gatewayMigrations } from '../../migrations/all.js';
import { operate } from '../../operate.js';
import { DatabaseAdmission } from '../admission/admission.js';
import type { Scope } from '../admission.contract.js';
import type { ApiKeyInput, ApiKeys } from '../api-keys.contract.js';
import type { SessionAct } from '../audit.contract.js';
import { DatabaseAuditLog } from '../audit/audit-log.js';
import { hashOfKey } from './api-key.policy.js';
import { DatabaseApiKeys } from './api-keys.js';

const servers = testServers();
let database: Database;
let superuser: Database;
let keys: ApiKeys;

beforeAll(async () => {
  const prepared = await servers.serviceDatabase('gateway', gatewayMigrations);
  database = await prepared.database();
  superuser = await prepared.superuser();
  keys = new DatabaseApiKeys(database);
});

/** An organization with the key that came with it, and its owner at work. */
async function organization(
  input: Parameters<typeof issueKey>[1] = {},
): Promise<{ act: SessionAct; secret: string; keyId: string }> {
  const { organizationId, secret, keyId } = await issueKey(database, input);
  const { id, email } = await makePerson(database);
  await join(database, organizationId, id, 'OWNER');
  const sessionId = await makeSession(database, organizationId, id);
  const actor = { type: 'user', id, email } as const;
  return { act: { organizationId, actor, sessionId, address: '192.0.2.7', traceId: 'b'.repeat(32) }, secret, keyId };
}

const create = async (act: SessionAct, input: ApiKeyInput): Promise<NewApiKeyView> =>
  (await keys.create(act, input, null)).apiKey;

const admit = async (admission: DatabaseAdmission, key: string, scope: Scope | null = 'contacts:read') =>
  admission.admit({ key, scope, cost: 1 });

const acts = async (organizationId: string) =>
  (
    await new DatabaseAuditLog(database).list({
      organizationId,
      limit: 100,
      cursor: null,
      action: null,
      actor: null,
      since: null,
      until: null,
    })
  ).items;

describe('an API key', () => {
  it('is shown whole once and kept as a hash; it opens what its scopes say, and its making is in the audit log', async () => {
    const admission = new DatabaseAdmission(database);
    const { act } = await organization();
    const { secret, hint, ...view } = await create(act, { label: 'Till 🛒', scopes: ['contacts:read'] });
    expect(secret).toMatch(/^svc_live_[0-9A-Za-z]{38}$/);
    expect(hint).toBeNull();
    expect(view).toEqual({
      id: expect.stringMatching(/^c[0-9a-z]{24}$/),
      label: 'Till 🛒',
      prefix: secret.slice(0, 12),
      scopes: ['contacts:read'],
      status: 'ACTIVE',
      createdAt: expect.stringMatching(/Z$/),
      createdBy: { id: act.actor.type === 'user' && act.actor.id, email: act.actor.type === 'user' && act.actor.email },
      lastUsedAt: null,
      lastUsedAddress: null,
      revokedAt: null,
    });
    expect(await admit(admission, secret)).toMatchObject({ state: 'admitted', keyId: view.id, hasScope: true });
    expect(await admit(admission, secret, 'contacts:write')).toMatchObject({ hasScope: false });
    expect((await keys.list(act.organizationId, { limit: 1, cursor: null })).items).toEqual([view]);
    expect(await acts(act.organizationId)).toEqual([
      expect.objectContaining({
        action: 'api-key.created',
        actor: act.actor,
        address: '192.0.2.7',
        traceId: 'b'.repeat(32),
        before: null,
        after: { id: view.id, label: 'Till 🛒', prefix: view.prefix, scopes: ['contacts:read'], revokedAt: null },
      }),
    ]);
    for (const table of ['api_key', 'audit_entry', 'audit_head']) {
      const rows = await superuser.dataSource.query(`SELECT * FROM gateway.${table}`);
      expect(JSON.stringify(rows)).not.toContain(secret.slice(12));
    }
    const [{ hash }] = await superuser.dataSource.query(
      `SELECT encode(secret_hash, 'hex') AS hash FROM gateway.api_key WHERE id = $1`,
      [view.id],
    );
    expect(hash).toBe(hashOfKey(secret));
    await admission.beforeApplicationShutdown();
  });

  it('is neither made nor revoked when the audit log cannot take it', async () => {
    const { act, secret } = await organization();
    const { id } = await create(act, { label: 'kept', scopes: null });
    const entries = 'ALTER TABLE gateway.audit_entry';
    await superuser.dataSource.query(
      `${entries} ADD CONSTRAINT full_up CHECK (organization_id <> '${act.organizationId}') NOT VALID`,
    );
    await expect(create(act, { label: 'never', scopes: null })).rejects.toThrow('full_up');
    await expect(keys.revoke(act, id)).rejects.toThrow('full_up');
    await superuser.dataSource.query(`${entries} DROP CONSTRAINT full_up`);
    const { items } = await keys.list(act.organizationId, { limit: 100, cursor: null });
    expect(items.map(({ label, status }) => `${label} ${status}`)).toEqual(['kept ACTIVE', 'Test ACTIVE']);
    expect(await acts(act.organizationId)).toHaveLength(1);
    expect(secret).not.toBe('');
  });

  it('is revoked once, for good, by its own organization; it stays in the list, and the log has one line', async () => {
    const admission = new DatabaseAdmission(database);
    const { act } = await organization();
    const { act: stranger } = await organization();
    const { id, secret } = await create(act, { label: 'Till', scopes: null });
    for (const [by, what] of [
      [stranger, id],
      [act, newCuid()],
    ] as const) {
      await expect(keys.revoke(by, what)).rejects.toMatchObject({ code: 'API_KEY_NOT_FOUND', status: 404 });
    }
    expect((await admit(admission, secret)).state).toBe('admitted');
    const answers = await Promise.all(Array.from({ length: 8 }, () => keys.revoke(act, id)));
    expect((await admit(admission, secret)).state).toBe('unknown-key');
    const revokedAt = answers[0]?.revokedAt;
    expect(revokedAt).toMatch(/Z$/);
    for (const answer of [...answers, await keys.revoke(act, id)]) {
      expect(answer).toMatchObject({ id, status: 'REVOKED', revokedAt });
    }
    const { items } = await keys.list(act.organizationId, { limit: 100, cursor: null });
    expect(items[0]).toMatchObject({ id, status: 'REVOKED', revokedAt });
    const log = await acts(act.organizationId);
    expect(log.map(({ action }) => action)).toEqual(['api-key.revoked', 'api-key.created']);
    expect(log[0]).toMatchObject({ before: { id, revokedAt: null }, after: { id, revokedAt } });
    expect(await acts(stranger.organizationId)).toEqual([]);
    await admission.beforeApplicationShutdown();
  });

  it('beyond fifty active ones comes with a hint, and is made all the same; revoked ones do not count', async () => {
    const { act } = await organization();
    const made = [];
    for (let active = 2; active <= 52; active++) made.push(await create(act, { label: String(active), scopes: null }));
    expect(made.filter(({ hint }) => hint !== null).map(({ label }) => label)).toEqual(['51', '52']);
    expect(made.at(-1)?.hint).toContain('more than 50 active keys');
    for (const { id } of made.slice(0, 3)) await keys.revoke(act, id);
    expect((await create(act, { label: 'fewer', scopes: null })).hint).toBeNull();
  });

  it('is listed newest first, in pages without a repetition or a gap, for its own organization alone', async () => {
    const { act } = await organization();
    await create((await organization()).act, { label: 'foreign', scopes: null });
    for (let index = 1; index <= 6; index++) await create(act, { label: String(index), scopes: null });
    const seen: string[] = [];
    for (let cursor: string | null = null; ;) {
      const page = await keys.list(act.organizationId, { limit: 3, cursor });
      seen.push(...page.items.map(({ label }) => label));
      if (page.nextCursor === undefined) break;
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(['6', '5', '4', '3', '2', '1', 'Test']);
  });
});

describe('an operator', () => {
  it('changes plan, numbers and subscription, which the next admission knows, and each change is in the audit log once', async () => {
    const admission = new DatabaseAdmission(database);
    const { act, secret } = await organization({ plan: 'STARTER' });
    const { organizationId } = act;
    const operation = operate(database, 'deputy');
    const refusal = async (scope: Scope): Promise<unknown> => {
      const verdict = await admit(admission, secret, scope);
      return verdict.state === 'admitted' ? [verdict.paymentRefusal, verdict.rate.limit] : verdict.state;
    };
    expect(await refusal('templates:send')).toEqual(['The plan STARTER does not include `templates:send`', 300]);
    await operation.changePlan(organizationId, { plan: 'GROWTH' });
    expect(await refusal('templates:send')).toEqual([null, 1_000]);
    await operation.changePlan(organizationId, { overrides: { requestBurst: 70, seats: 3 } });
    expect(await refusal('templates:send')).toEqual([null, 70]);
    await operation.changeSubscription(organizationId, 'PAST_DUE');
    expect(await refusal('templates:send')).toEqual([expect.stringContaining('past due'), 70]);
    expect(await refusal('contacts:read')).toEqual([null, 70]);
    await operation.changeSubscription(organizationId, 'CANCELED');
    await operation.changeSubscription(organizationId, 'CANCELED');
    expect(await refusal('contacts:read')).toEqual(['The subscription is canceled', 70]);
    await operation.changePlan(organizationId, { isReset: true, overrides: { channels: 4 } });
    expect(await operation.organization(organizationId)).toMatchObject({
      organization: { plan: 'GROWTH', subscription: 'CANCELED', requestBurst: null, seats: null, channels: 4 },
      plan: { name: 'GROWTH', requestBurst: 1_000 },
      activeKeys: 1,
      auditEntries: 5,
    });
    const log = await acts(organizationId);
    expect(log.map(({ action, actor }) => [action, actor.type, actor.id].join(' '))).toEqual(
      ['plan', 'subscription', 'subscription', 'plan', 'plan'].map((what) => `${what}.changed operator deputy`),
    );
    const none = { requestsPerMinute: null, messagesPerMonth: null, channels: null };
    expect(log[3]).toMatchObject({
      before: { plan: 'GROWTH', requestBurst: null, seats: null, ...none },
      after: { plan: 'GROWTH', requestBurst: 70, seats: 3, ...none },
    });
    expect(log[2]).toMatchObject({ before: { subscription: 'ACTIVE' }, after: { subscription: 'PAST_DUE' } });
    await admission.beforeApplicationShutdown();
  });

  it('is refused organizations, plans and keys that there are not, and nothing is changed', async () => {
    const { act } = await organization({ plan: 'TRIAL' });
    const operation = operate(database, null);
    const unknown = newCuid();
    await expect(operation.changePlan(unknown, { plan: 'SCALE' })).rejects.toThrow(`no organization ${unknown}`);
    await expect(operation.changeSubscription(unknown, 'ACTIVE')).rejects.toThrow(`no organization ${unknown}`);
    await expect(operation.revokeApiKey(unknown)).rejects.toThrow(`no API key ${unknown}`);
    await expect(operation.organization(unknown)).rejects.toThrow(`no organization ${unknown}`);
    await expect(operation.changePlan(act.organizationId, { plan: 'GOLD' })).rejects.toThrow(
      'no plan GOLD; there are TRIAL, STARTER, GROWTH, SCALE',
    );
    expect(await acts(act.organizationId)).toEqual([]);
  });

  it('revokes a key by its id alone', async () => {
    const { act, keyId } = await organization();
    await operate(database, null).revokeApiKey(keyId);
    expect((await acts(act.organizationId)).map(({ action, actor }) => [action, actor])).toEqual([
      ['api-key.revoked', { type: 'operator', id: null, email: null }],
    ]);
  });
});
