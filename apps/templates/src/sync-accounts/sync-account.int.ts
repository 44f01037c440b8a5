import { beforeAll, describe, expect, it } from '@jest/globals';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import { testServers } from '@switchboard/testing';
import { listed, TemplatesStore } from '../../test/templates-store.js';
import { failSync, requestSync } from '../account/account.repository.js';
import { EndlessList, LeaseLost } from './sync-account.js';

const servers = testServers();
let store: TemplatesStore;
beforeAll(async () => {
  store = await TemplatesStore.open(servers);
});
const at = (seconds: number): Date => new Date(Date.UTC(2026, 2, 1, 12) + seconds * 1_000);

describe('the synchronisation of an account', () => {
  it('follows the pages until the upstream names no next one, and takes the first list without an event', async () => {
    const account = await store.account();
    store.asked.length = 0;
    store.pages = {
      '': { templates: [listed('a'), listed('b', { status: 'PAUSED' })], next: 'p2' },
      p2: { templates: [listed('c', { language: 'es' })], next: 'p3' },
      p3: { templates: [listed('d', { status: 'IN_APPEAL' })], next: null },
    };
    await store.sync(account);
    expect(store.asked).toEqual([null, 'p2', 'p3']);
    expect(await store.statuses(account)).toEqual({ a: 'APPROVED', b: 'PAUSED', c: 'APPROVED', d: 'PENDING' });
    expect(await store.templates(account)).toMatchObject([
      {
        name: 'a',
        upstreamTemplateId: listed('a').id,
        messagingChannelId: account.channelId,
        components: listed('a').components,
      },
      {},
      { language: 'es' },
      {},
    ]);
    expect(await store.events(account)).toEqual([]);
    expect(await store.accountRow(account)).toMatchObject({ lease_owner: null, failures: 0, due: false });
  });

  it('emits the changes of known templates to four statuses, once, and none for what did not change', async () => {
    const account = await store.account();
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    store.lists(names.map((name) => listed(name, { status: name === 'a' ? 'PENDING' : 'APPROVED' })));
    await store.sync(account);
    store.now = at(60);
    const after = ['APPROVED', 'REJECTED', 'PAUSED', 'DISABLED', 'PENDING', 'LIMIT_EXCEEDED'];
    store.lists(names.map((name, index) => listed(name, { status: after[index] ?? '' })));
    await store.sync(account);
    await store.sync(account);
    expect(
      (await store.events(account)).map(({ data }) => [data.template.name, data.previousStatus, data.template.status]),
    ).toEqual([
      ['a', 'PENDING', 'APPROVED'],
      ['b', 'APPROVED', 'REJECTED'],
      ['c', 'APPROVED', 'PAUSED'],
      ['d', 'APPROVED', 'DISABLED'],
    ]);
    expect(await store.statuses(account)).toMatchObject({ e: 'PENDING', f: 'APPROVED' });
    expect(await store.events(account)).toMatchObject([
      { occurredAt: at(60).toISOString(), sequence: null },
      {},
      {},
      {},
    ]);
  });

  it('takes content as listed, and leaves rows alone that did not change', async () => {
    const account = await store.account();
    store.lists([listed('a'), listed('b')]);
    await store.sync(account);
    const before = await store.run('SELECT id, xmin::text FROM template WHERE organization_id = $1 ORDER BY name', [
      account.organizationId,
    ]);
    store.lists([listed('a', { components: [{ text: 'Bye', type: 'BODY' }], category: 'MARKETING' }), listed('b')]);
    await store.sync(account);
    const after = await store.run('SELECT id, xmin::text FROM template WHERE organization_id = $1 ORDER BY name', [
      account.organizationId,
    ]);
    expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    expect(after[0]?.xmin).not.toBe(before[0]?.xmin);
    expect(after[1]?.xmin).toBe(before[1]?.xmin);
    expect(await store.templates(account)).toMatchObject([
      { category: 'MARKETING', components: [{ text: 'Bye', type: 'BODY' }] },
      {},
    ]);
    expect(await store.events(account)).toEqual([]);
  });

  it('disables templates that two walks in a row miss, and spares one that only a shifting list skipped', async () => {
    const account = await store.account();
    store.lists([listed('kept'), listed('skipped'), listed('gone')]);
    await store.sync(account);
    store.now = at(120);
    store.asked.length = 0;
    const [whole, shifted] = [[listed('kept'), listed('skipped')], [listed('kept')]];
    const pages = {
      get ''() {
        return { templates: store.asked.length === 1 ? shifted : whole, next: null };
      },
    };
    store.pages = pages;
    await store.sync(account);
    expect(store.asked).toEqual([null, null]);
    expect(await store.statuses(account)).toEqual({ kept: 'APPROVED', skipped: 'APPROVED', gone: 'DISABLED' });
    expect((await store.events(account)).map(({ data }) => data.template)).toMatchObject([
      { name: 'gone', status: 'DISABLED' },
    ]);
    store.lists([...whole, listed('gone')]);
    await store.sync(account);
    expect(await store.statuses(account)).toMatchObject({ gone: 'APPROVED' });
    expect(await store.events(account)).toHaveLength(2);
  });

  it('disables all templates when two runs in a row find the list empty, and none when only one does', async () => {
    const account = await store.account();
    const full = [listed('a'), listed('b')];
    store.lists(full);
    await store.sync(account);
    for (const list of [[], full, []]) {
      store.now = at(200);
      store.lists(list);
      await store.sync(account);
      expect(await store.statuses(account)).toEqual({ a: 'APPROVED', b: 'APPROVED' });
      expect(await store.accountRow(account)).toMatchObject({ error: list === full ? null : 'EMPTY_LIST', due: false });
    }
    await store.sync(account);
    expect(await store.statuses(account)).toEqual({ a: 'DISABLED', b: 'DISABLED' });
    expect(await store.accountRow(account)).toMatchObject({ error: null, failures: 0 });
  });

  it('does not disable what a list that ended in a failure had not named', async () => {
    const account = await store.account();
    store.lists([listed('a'), listed('b')]);
    await store.sync(account);
    store.pages = {
      '': { templates: [listed('a')], next: 'p2' },
      p2: new AppError(messagingErrors.UPSTREAM_NOT_CONNECTED),
    };
    await expect(store.sync(account)).rejects.toThrow(AppError);
    expect(await store.statuses(account)).toEqual({ a: 'APPROVED', b: 'APPROVED' });
  });

  it('ends when the upstream names a page twice', async () => {
    const account = await store.account();
    store.pages = { '': { templates: [], next: 'p2' }, p2: { templates: [], next: 'p2' } };
    await expect(store.sync(account)).rejects.toThrow(EndlessList);
  });

  it('does not override a status that is newer than the list, and has the account read again soon', async () => {
    const account = await store.account();
    store.now = at(0);
    store.lists([listed('a')]);
    await store.sync(account);
    await store.run("UPDATE template SET status = 'PAUSED', status_at = $2 WHERE organization_id = $1", [
      account.organizationId,
      at(10),
    ]);
    store.now = at(9);
    await store.sync(account);
    expect(await store.statuses(account)).toEqual({ a: 'PAUSED' });
    const [{ seconds } = { seconds: null }] = await store.run(
      'SELECT extract(epoch FROM next_sync_at - now())::float8 AS seconds FROM account WHERE organization_id = $1',
      [account.organizationId],
    );
    expect(Number(seconds)).toBeLessThanOrEqual(5);
    store.now = at(11);
    await store.sync(account);
    expect(await store.statuses(account)).toEqual({ a: 'APPROVED' });
  });

  it('takes the status of a template that was deleted and made again under its name', async () => {
    const account = await store.account();
    store.now = at(0);
    store.lists([listed('a', { id: '1' })]);
    await store.sync(account);
    await store.run("UPDATE template SET status = 'DISABLED', status_at = $2 WHERE organization_id = $1", [
      account.organizationId,
      at(10),
    ]);
    store.now = at(9);
    store.lists([listed('a', { id: '2' })]);
    await store.sync(account);
    expect(await store.templates(account)).toMatchObject([{ status: 'APPROVED', upstreamTemplateId: '2' }]);
  });
});

describe('the lease of an account', () => {
  it('goes to one of many runners that ask at once', async () => {
    const account = await store.account();
    const claims = await Promise.all(Array.from({ length: 8 }, () => store.claimDue(100)));
    const own = claims.flat().filter(({ organizationId }) => organizationId === account.organizationId);
    expect(own).toHaveLength(1);
  });

  it('comes by turns of organizations, of which none has all runs', async () => {
    const [many, other] = [newCuid(), newCuid()];
    const claimed = async (limit: number): Promise<string[]> => {
      const due = await store.claimDue(limit);
      return due.map(({ organizationId }) => organizationId).filter((id) => [many, other].includes(id));
    };
    await store.run("UPDATE account SET next_sync_at = now() + interval '1 hour'", []);
    await requestSync(
      store.database,
      Array.from({ length: 8 }, () => ({ organizationId: many, businessAccountId: newCuid() })),
    );
    expect(await claimed(4)).toEqual([many, many, many]);
    await requestSync(store.database, [{ organizationId: other, businessAccountId: newCuid() }]);
    expect(await claimed(1)).toEqual([other]);
    await store.run("UPDATE account SET lease_until = now() - interval '1 ms' WHERE organization_id = ANY ($1)", [
      [many, other],
    ]);
    await store.run("UPDATE account SET next_sync_at = now() + interval '1 hour' WHERE organization_id = $1", [other]);
    await requestSync(store.database, [{ organizationId: other, businessAccountId: newCuid() }]);
    expect(await claimed(2)).toEqual(expect.arrayContaining([many, other]));
  });

  it('comes to an account that was just connected before those of the schedule, however many are due', async () => {
    await store.run("UPDATE account SET next_sync_at = now() + interval '1 hour'", []);
    const organizations = Array.from({ length: 20 }, () => newCuid());
    const [owner = ''] = organizations;
    await requestSync(
      store.database,
      organizations.map((organizationId) => ({ organizationId, businessAccountId: newCuid() })),
    );
    await store.run(
      "UPDATE account SET synced_at = now() - interval '6 minutes', next_sync_at = now() - interval '1 minute' WHERE organization_id = ANY ($1)",
      [organizations],
    );
    const connected = [owner, newCuid()].map((organizationId) => ({ organizationId, businessAccountId: newCuid() }));
    await requestSync(store.database, connected);
    const accountsOf = (some: readonly { businessAccountId: string }[]): Set<string> =>
      new Set(some.map(({ businessAccountId }) => businessAccountId));
    expect(accountsOf(await store.claimDue(2))).toEqual(accountsOf(connected));
  });

  it('comes to one that has failed before in its turn alone', async () => {
    await store.run("UPDATE account SET next_sync_at = now() + interval '1 hour'", []);
    const [scheduled, failing] = [newCuid(), newCuid()];
    for (const organizationId of [scheduled, failing]) {
      await requestSync(store.database, [{ organizationId, businessAccountId: newCuid() }]);
    }
    await store.run(
      "UPDATE account SET synced_at = now(), next_sync_at = now() - interval '1 s' WHERE organization_id = $1",
      [scheduled],
    );
    await store.run('UPDATE account SET failures = 1 WHERE organization_id = $1', [failing]);
    expect(await store.claimDue(1)).toMatchObject([{ organizationId: scheduled }]);
  });

  it('is taken over when its time is past, and what the former run read is not stored any more', async () => {
    const account = await store.account();
    const killed = await store.claim(account);
    await expect(store.claim(account)).rejects.toThrow('not due');
    await store.run("UPDATE account SET lease_until = now() - interval '1 ms' WHERE organization_id = $1", [
      account.organizationId,
    ]);
    const successor = await store.claim(account);
    store.lists([listed('late')]);
    await expect(store.runner().execute(killed, 300)).rejects.toThrow(LeaseLost);
    expect(await store.templates(account)).toEqual([]);
    store.lists([listed('a')]);
    await store.runner().execute(successor, 300);
    expect(await store.statuses(account)).toEqual({ a: 'APPROVED' });
  });

  it('ends with a pause after a failure, and at once when the account became due meanwhile', async () => {
    const account = await store.account();
    await failSync(store.database, await store.claim(account), { nextInSeconds: 60, error: 'UPSTREAM_NOT_CONNECTED' });
    expect(await store.accountRow(account)).toMatchObject({
      due: false,
      failures: 1,
      error: 'UPSTREAM_NOT_CONNECTED',
      lease_owner: null,
    });
    await requestSync(store.database, [account]);
    expect(await store.accountRow(account)).toMatchObject({ due: true });
    const again = await store.claim(account);
    await requestSync(store.database, [account]);
    store.lists([]);
    await store.runner().execute(again, 300);
    const [{ seconds } = { seconds: null }] = await store.run(
      'SELECT extract(epoch FROM next_sync_at - now())::float8 AS seconds FROM account WHERE organization_id = $1',
      [account.organizationId],
    );
    expect(Number(seconds)).toBeLessThanOrEqual(5);
    expect(await store.accountRow(account)).toMatchObject({ failures: 0, error: null });
  });
});
