import { callbackChange } from '@switchboard/contracts/gateway/events';
import { testServers } from '@switchboard/testing';
import { describeCoalesceLaw } from '@switchboard/testing/describe-coalesce-law';
import fc from 'fast-check';
import { gatewayMigrations } from '../migrations/all.js';
import { changeEvent } from './callback-event.policy.js';
import { coalesceCallbacks, runCallbacks, type SplitCallbackItem } from './take-callback.batch.js';

const servers = testServers();
const now = new Date('2026-01-01T00:00:00.000Z');
const prepared = (() => {
  let made: ReturnType<typeof servers.serviceDatabase> | undefined;
  return () => (made ??= servers.serviceDatabase('gateway', gatewayMigrations));
})();

const item = (account: string, values: readonly unknown[]): SplitCallbackItem => ({
  account,
  bytes: 100,
  events: values.map((value) => changeEvent({ businessAccountId: account, timestamp: '' }, 'field', value, now)),
});
const poisoned = item('calice', ['poison']);

describeCoalesceLaw<SplitCallbackItem>({
  name: 'take-callback',
  items: fc
    .record({
      account: fc.constantFrom('calice', 'cbob'),
      values: fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 3 }),
    })
    .map(({ account, values }) => item(account, values)),
  tenant: ({ account }) => account,
  // The policy takes NUL out of aggregates; here it is an example of what the database refuses.
  poison: { ...poisoned, events: poisoned.events.map((event) => ({ ...event, aggregateId: 'a\u0000' })) },
  writing: [item('calice', [1, 2]), item('cbob', [3])],
  table: 'gateway.outbox',
  superuser: async () => (await prepared()).superuser(),
  open: async () => {
    const database = await (await prepared()).database();
    const batchSizes: number[] = [];
    const commit = coalesceCallbacks(database, (on, items) => {
      batchSizes.push(items.length);
      return runCallbacks(on, items);
    });
    return {
      call: (one) => commit(one),
      batchSizes,
      clear: () => database.dataSource.query('DELETE FROM outbox'),
      stored: (tenant) =>
        database.dataSource.query(
          'SELECT aggregate_id, subject, payload FROM outbox WHERE aggregate_id = $1 AND subject = $2 ORDER BY position',
          [tenant, callbackChange.subject],
        ),
      close: () => commit.drain(),
    };
  },
});
