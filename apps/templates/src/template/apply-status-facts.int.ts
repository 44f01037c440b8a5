import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { testServers } from '@switchboard/testing';
import { listed, TemplatesStore } from '../../test/templates-store.js';
import type { AccountKey } from '../channel/channel.repository.js';
import { applyStatusFacts, type StatusFact } from './apply-status-facts.js';

const servers = testServers();
let store: TemplatesStore;
beforeAll(async () => {
  store = await TemplatesStore.open(servers);
});
const at = (seconds: number): Date => new Date(Date.UTC(2026, 2, 1, 12) + seconds * 1_000);
const apply = (...facts: StatusFact[]): Promise<void> =>
  store.database.transaction((tx) => applyStatusFacts(tx, facts, 'callback'));

/** An account whose list was read at second 0, with one APPROVED template. */
async function synchronised(): Promise<AccountKey> {
  const account = await store.account();
  store.now = at(0);
  store.lists([listed('a', { id: '17' })]);
  await store.sync(account);
  return account;
}

function fact({ businessAccountId }: AccountKey, overrides: Partial<StatusFact>): StatusFact {
  const about = { organizationId: null, businessAccountId, name: 'a', language: 'en-US', upstreamTemplateId: '17' };
  return { ...about, status: 'PAUSED', at: at(10), ...overrides };
}

describe('facts about the status of templates', () => {
  it('change a known template and are events, in the order of the upstream whatever order they come in', async () => {
    const account = await synchronised();
    await apply(
      fact(account, { status: 'APPROVED', at: at(30) }),
      fact(account, { status: 'PAUSED', at: at(10) }),
      fact(account, { status: 'DISABLED', at: at(20) }),
    );
    expect(await store.statuses(account)).toEqual({ a: 'APPROVED' });
    const events = await store.events(account);
    expect(events.map(({ occurredAt, data }) => [occurredAt, data.previousStatus, data.template.status])).toEqual([
      [at(10).toISOString(), 'APPROVED', 'PAUSED'],
      [at(20).toISOString(), 'PAUSED', 'DISABLED'],
      [at(30).toISOString(), 'DISABLED', 'APPROVED'],
    ]);
  });

  it('that are older than the newest known one, or than the last list, change nothing', async () => {
    const account = await synchronised();
    await apply(fact(account, { status: 'REJECTED', at: at(-1) }));
    await apply(fact(account, { status: 'APPROVED', at: at(50) }));
    await apply(fact(account, { status: 'PAUSED', at: at(40) }));
    expect(await store.statuses(account)).toEqual({ a: 'APPROVED' });
    expect(await store.events(account)).toEqual([]);
    store.now = at(90);
    await store.sync(account);
    await apply(fact(account, { status: 'PAUSED', at: at(80) }));
    expect(await store.statuses(account)).toEqual({ a: 'APPROVED' });
    expect(await store.accountRow(account)).toMatchObject({ due: false });
  });

  it('that change it have the account read again: the text of a template that was edited is in the list alone', async () => {
    const account = await synchronised();
    await store.run("UPDATE account SET synced_at = now() - interval '1 minute' WHERE organization_id = $1", [
      account.organizationId,
    ]);
    await apply(fact(account, { status: 'APPROVED' }));
    expect(await store.accountRow(account)).toMatchObject({ due: false });
    await apply(fact(account, { status: 'PAUSED', at: at(20) }));
    expect(await store.accountRow(account)).toMatchObject({ due: true });
  });

  it('that say the second alone are events of now at the latest', async () => {
    const account = await synchronised();
    await apply(fact(account, { at: new Date(Date.now() + 900) }));
    const [event] = await store.events(account);
    expect(Date.parse(event?.occurredAt ?? '')).toBeLessThanOrEqual(Date.now());
  });

  it('that come twice are one change', async () => {
    const account = await synchronised();
    await apply(fact(account, {}), fact(account, {}));
    await apply(fact(account, {}));
    expect(await store.events(account)).toHaveLength(1);
  });

  it.each([
    ['an unknown name', { name: 'other' }],
    ['another language', { language: 'es' }],
    ['another id under the same name', { upstreamTemplateId: '18' }],
    ['no status that a send has seen', { status: null }],
  ])('of %s change nothing, and have the account read again', async (_label, overrides) => {
    const account = await synchronised();
    await store.run("UPDATE account SET synced_at = now() - interval '1 minute' WHERE organization_id = $1", [
      account.organizationId,
    ]);
    await apply(fact(account, overrides));
    expect(await store.statuses(account)).toEqual({ a: 'APPROVED' });
    expect(await store.events(account)).toEqual([]);
    expect(await store.accountRow(account)).toMatchObject({ due: true });
  });

  it('of an unknown account change nothing', async () => {
    const account = await synchronised();
    await apply(fact({ ...account, businessAccountId: '999' }, {}), fact(account, { organizationId: newCuid() }));
    expect(await store.events(account)).toEqual([]);
    expect(await store.statuses(account)).toEqual({ a: 'APPROVED' });
  });

  it('are for each organization that has the account, and a refused send for its sender alone', async () => {
    const account = await synchronised();
    const other = { organizationId: newCuid(), businessAccountId: account.businessAccountId };
    await store.channel(other, { id: newCuid(), isDefault: true });
    await store.makeKnown(other);
    await store.sync(other);
    await apply(fact(account, { upstreamTemplateId: null }));
    expect([await store.statuses(account), await store.statuses(other)]).toEqual([{ a: 'PAUSED' }, { a: 'PAUSED' }]);
    await apply(fact(account, { organizationId: other.organizationId, status: 'DISABLED', at: at(20) }));
    expect([await store.statuses(account), await store.statuses(other)]).toEqual([{ a: 'PAUSED' }, { a: 'DISABLED' }]);
  });
});
