import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { Database, statement, type Statement, type Transaction } from '@switchboard/postgres';
import { behindSnapshot, blocksOfLooks, eventually, MeasuredTables, testServers } from '@switchboard/testing';
import { newCustomer } from '../../test/customer.js';
import { startWebhooks } from '../../test/running-webhooks.js';
import { storeEvents, storeWebhook, type StoredWebhook } from '../../test/stored-webhook.js';
import { webhooksMigrations } from '../migrations/all.js';
import { LaneLook } from './lane-look.js';

const servers = testServers();
const WHOLE = 'webhooks.lane.waiting';
const RECENT = 'webhooks.lane.waiting-recent';
const SLICE = 'webhooks.lane.waiting-of';
const WORKER = newCuid();
const DELIVERED = 20_000;
const slowSql = statement('t.slow-look', 'SELECT pg_sleep(20)');
const unlimitedSql = statement('t.unlimited', 'SET LOCAL statement_timeout = 0');

type Transact = Database['transaction'];
type Instead = (asked: Statement, tx: Transaction) => Promise<never> | null;

/** Transactions in which something else is done instead of some statements. The looks among the others have all the time they need. */
function transacting(transaction: Transact, instead: Instead): Transact {
  return async (work, options) =>
    transaction(async (tx) => {
      const query: Transaction['query'] = async (asked, values) => {
        const other = instead(asked, tx);
        if (other) return other;
        if (asked.name.startsWith('webhooks.lane.')) await tx.query(unlimitedSql, []);
        return tx.query(asked, values);
      };
      return work({ ...tx, query });
    }, options);
}

async function asLongAsItMay(tx: Transaction): Promise<never> {
  await tx.query(slowSql, []);
  throw new Error('it had no limit');
}

describe('the look for what no wake-up has reported', () => {
  it('holds up no delivery while it hangs, nor when it has failed', async () => {
    const running = await startWebhooks(servers);
    const customer = newCustomer(running);
    await customer.register(running.receiver.at('/prompt'));
    const deliver = async (count: number): Promise<void> => {
      for (let event = 0; event < count; event++) {
        const id = await customer.receive(`${event}`);
        await eventually(() => running.receiver.arrivals('/prompt').some(({ dataId }) => dataId === id));
      }
    };
    const { transaction } = Database.prototype;
    const begun = Promise.withResolvers<undefined>();
    const hanging = Promise.withResolvers<never>();
    let looks = 0;
    const hang: Instead = ({ name }) => {
      if (name !== WHOLE && name !== RECENT) return null;
      looks++;
      begun.resolve(undefined);
      return hanging.promise;
    };
    const spy = jest.spyOn(Database.prototype, 'transaction').mockImplementation(function (this: Database, ...given) {
      return transacting(transaction.bind(this), hang)(...given);
    });
    try {
      await begun.promise;
      await deliver(5);
      expect(looks).toBe(1);
      hanging.reject(new Error('the look failed'));
      await eventually(() => looks > 1);
      await deliver(5);
    } finally {
      hanging.promise.catch(() => undefined);
      hanging.reject(new Error('the test is over'));
      spy.mockRestore();
    }
  });
});

describe('a look that takes longer than it may', () => {
  let database: Database;
  let superuser: Database;
  const webhooks: StoredWebhook[] = [];

  beforeAll(async () => {
    const prepared = await servers.serviceDatabase('webhooks', webhooksMigrations);
    [database, superuser] = [await prepared.database({ poolMax: 1 }), await prepared.superuser()];
    for (let webhook = 0; webhook < 3; webhook++) webhooks.push(await storeWebhook(database, 1));
    webhooks.sort((one, other) => (one.id < other.id ? -1 : 1));
  });

  async function run(sql: string, values: unknown[] = []): Promise<unknown> {
    return superuser.dataSource.query(sql, values);
  }

  /** @param slow statements that do not end in their time; for each of these a failure is reported, behind `onSlow` */
  function lookWith(
    slow: (name: string) => boolean,
    onSlow: () => void = () => undefined,
  ): { readonly look: LaneLook; readonly failures: unknown[] } {
    const failures: unknown[] = [];
    const instead: Instead = ({ name }, tx) => (slow(name) ? asLongAsItMay(tx).finally(onSlow) : null);
    const transaction = transacting(database.transaction.bind(database), instead);
    const onFailure = (error: unknown): void => void failures.push(error);
    return { look: new LaneLook({ database: { transaction }, worker: WORKER, onFailure }), failures };
  }

  async function found(look: LaneLook, known: readonly string[] = []): Promise<readonly string[]> {
    return (await look.look(known)).map(({ webhookId }) => webhookId).sort();
  }

  it('ends after a second, and what was stored lately is found by another all the same', async () => {
    const { look, failures } = lookWith((name) => name === WHOLE || name === SLICE);
    expect(await found(look)).toEqual(webhooks.map(({ id }) => id));
    const timedOut = expect.objectContaining({ code: '57014' });
    expect(failures).toEqual([timedOut, timedOut]);
  });

  it('is followed by looks at all lanes slice by slice, which find what was stored before', async () => {
    const [, old] = webhooks;
    await run('DELETE FROM webhooks.delivery WHERE webhook_id <> $1', [old?.id]);
    // 1,000 events of other types have come since.
    await run('UPDATE webhooks.feed SET last_position = last_position + 1000');
    // A look rests for as many times as long as it took: none takes any time but the one that may take a second.
    let nowMs = performance.now();
    jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
    const { look, failures } = lookWith(
      (name) => name === WHOLE,
      () => (nowMs += 1_000),
    );
    try {
      expect(await found(look)).toEqual([old?.id]);
      // All lanes were looked at: the next slice is the first one again.
      nowMs += 20_000;
      expect(await found(look)).toEqual([old?.id]);
    } finally {
      jest.restoreAllMocks();
    }
    expect(failures).toHaveLength(1);
  });

  it('touches next to nothing of what an old snapshot keeps, but where it looks at everything', async () => {
    const [busy] = webhooks;
    if (!busy) throw new Error('no webhook was stored');
    const tables = await MeasuredTables.of(superuser, 'webhooks.delivery');
    await found(lookWith((name) => name === WHOLE).look);
    await found(lookWith(() => false).look);
    const of = { [WHOLE]: [`'${WORKER}'`], [RECENT]: [`'${WORKER}'`, `'{}'`, `'256'`, `'60'`] };
    const before = await blocksOfLooks(database, of);
    await behindSnapshot(superuser, async () => {
      await run('UPDATE webhooks.feed SET last_position = last_position + $1', [DELIVERED]);
      await run(
        `INSERT INTO webhooks.delivery (webhook_id, id, organization_id, event_id, type, line, position, body_bytes, kind, due_at)
         SELECT $1, 'gone' || n, $2, 'e' || n, 'message.received', '', n, 2, 'AUTOMATIC', now()
         FROM generate_series(1, $3::int) AS n`,
        [busy.id, busy.organizationId, DELIVERED],
      );
      await run(`DELETE FROM webhooks.delivery WHERE id LIKE 'gone%'`);
      await tables.measure(database);
      const behind = await blocksOfLooks(database, of);
      expect(behind[WHOLE]).toBeGreaterThan(before[WHOLE] + 200);
      expect(behind[RECENT]).toBeLessThanOrEqual(before[RECENT] + 20);
      // A new one among them is found.
      await storeEvents(database, busy, 1);
      expect(await found(lookWith((name) => name === WHOLE || name === SLICE).look)).toContain(busy.id);
    });
  });
});

describe('what a worker has left behind that lives no more', () => {
  it('is found with the look at what was stored lately, whatever is pending of it', async () => {
    const prepared = await servers.serviceDatabase('webhooks', webhooksMigrations);
    const [database, superuser] = [await prepared.database(), await prepared.superuser()];
    const [gone, own, left] = [
      await storeWebhook(database, 0),
      await storeWebhook(database, 0),
      await storeWebhook(database, 0),
    ];
    const ownerSql = 'UPDATE webhooks.lane SET owner = $2 WHERE webhook_id = $1';
    await superuser.dataSource.query(ownerSql, [gone.id, newCuid()]);
    await superuser.dataSource.query(ownerSql, [own.id, WORKER]);
    const transaction = transacting(database.transaction.bind(database), ({ name }, tx) =>
      name === WHOLE ? asLongAsItMay(tx) : null,
    );
    const look = new LaneLook({ database: { transaction }, worker: WORKER, onFailure: () => undefined });
    const found = await look.look([own.id]);
    expect(Object.fromEntries(found.map(({ webhookId, state }) => [webhookId, state]))).toEqual({
      [gone.id]: 'free',
      [own.id]: 'own',
    });
    expect(found.map(({ webhookId }) => webhookId)).not.toContain(left.id);
  });
});
