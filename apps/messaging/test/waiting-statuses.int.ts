import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { callbackMessage, callbackStatus } from '@switchboard/contracts/gateway/events';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { Disposition, DeliveredEvent } from '@switchboard/nats';
import { createLog } from '@switchboard/platform';
import { testServers } from '@switchboard/testing';
import { LookAgainWorker } from '../src/look-again/look-again.worker.js';
import { WaitingSignal } from '../src/callback/waiting-signal.js';
import { nextLooks, setAside, takeDue } from '../src/callback/waiting-status.repository.js';
import { deliveredCallback, handleCallbacks } from './callback-batch.js';
import { MessagingStore, settlementOf, taken, type Sender } from './messaging-store.js';
import { silentRelay } from './silent-relay.js';

const servers = testServers();
/** More than a transaction of the worker takes. */
const UNKNOWN = 450;

/** Looks at a status before it is given up, the consumer's among them. */
const LOOKS = 7;
/** Of them, those of an organization with `MANY`. */
const LOOKS_AMONG_MANY = 4;
const MANY = 10_000;
/** No more are set aside. */
const WAITING_MAX = 40_000;

/** A round at a time. */
class Looks extends LookAgainWorker {
  look(): ReturnType<LookAgainWorker['round']> {
    return this.round();
  }
}

describe('statuses whose message is not known', () => {
  let store: MessagingStore;
  let worker: Looks;
  let lines: string[];

  beforeAll(async () => {
    store = await MessagingStore.open(servers);
  });
  beforeEach(async () => {
    await store.superuser.dataSource.query('DELETE FROM messaging.waiting_status');
    lines = [];
    const log = createLog('messaging', { write: (line: string) => void lines.push(line) });
    worker = new Looks(store.database, silentRelay, log, new WaitingSignal());
  });

  const handle = (own: Sender, events: readonly DeliveredEvent[]): Promise<Disposition[]> =>
    handleCallbacks(store, own, events, (line) => void lines.push(line));

  /** So many more of an organization wait, and are not due. */
  const letWait = (sender: Sender, count: number): Promise<unknown> =>
    store.superuser.dataSource.query(
      `INSERT INTO messaging.waiting_status
       SELECT $1 || n, $1, $2, 'wamid.' || n, NULL, '{"fact":"delivered"}', NULL, 0, now() + interval '1 hour'
       FROM generate_series(1, $3::int) AS n`,
      [sender.organizationId, sender.channelId, count],
    );
  const givenUp = (): unknown[] =>
    lines
      .map((line) => JSON.parse(line))
      .map(({ event, organizationId, statuses }) => [event, organizationId, statuses]);
  const waiting = async (): Promise<number> => {
    const [row] = await store.superuser.dataSource.query('SELECT count(*)::int AS n FROM messaging.waiting_status');
    return row.n;
  };
  const letBeDue = (sender: Sender): Promise<unknown> =>
    store.superuser.dataSource.query(
      `UPDATE messaging.waiting_status SET due_at = now() - interval '1 ms' WHERE organization_id = $1`,
      [sender.organizationId],
    );

  /** An hour later than they are, so that none becomes due while the machine stands still. */
  const postpone = (): Promise<unknown> =>
    store.superuser.dataSource.query("UPDATE messaging.waiting_status SET due_at = due_at + interval '1 hour'");

  it('are set aside in their thousands, so that a message of another organization comes before they are given up', async () => {
    const [many, other] = [await store.sender(), await store.sender()];
    const unknown = Array.from({ length: UNKNOWN }, () => statusOf(many, `wamid.${newCuid()}`));
    expect(await handle(other, [...unknown, messageOf(other)])).toEqual(
      Array.from({ length: UNKNOWN + 1 }, () => ({ ack: true })),
    );
    const events = await store.events(other.organizationId);
    expect(events.map(({ subject }) => subject)).toContain('messaging.message.received.v1');
    expect(await waiting()).toBe(UNKNOWN);
    // A repetition is no other status.
    expect(await handle(other, unknown)).toEqual(unknown.map(() => ({ ack: true })));
    expect(await waiting()).toBe(UNKNOWN);
  });

  it('are applied when the upstream’s id of their message is recorded after them', async () => {
    const sender = await store.sender();
    const attempt = await store.attempt(sender);
    await handle(sender, [statusOf(sender, `wamid.${attempt.messageId}`)]);
    await letBeDue(sender);
    expect(await worker.look()).toBe(true);
    expect([await waiting(), (await store.message(attempt)).status]).toEqual([1, 'QUEUED']);
    await store.settle(settlementOf(attempt, taken(attempt)));
    await letBeDue(sender);
    await worker.look();
    expect([await waiting(), (await store.message(attempt)).status]).toEqual([0, 'DELIVERED']);
    expect((await store.message(attempt)).deliveredAt).toEqual(new Date(1_749_416_383_000));
  });

  it('are looked for longer than a row may be locked, or the record of a send be late behind an outage', async () => {
    const sender = await store.sender();
    const attempt = await store.attempt(sender);
    await handle(sender, [statusOf(sender, `wamid.${attempt.messageId}`)]);
    let lookedAt = '';
    for (let look = 2; look < LOOKS; look++) {
      await letBeDue(sender);
      [{ lookedAt }] = await store.superuser.dataSource.query('SELECT now()::text AS "lookedAt"');
      await worker.look();
    }
    const inTime = "SELECT due_at > $1::timestamptz + interval '20 seconds' AS waits FROM messaging.waiting_status";
    expect(await store.superuser.dataSource.query(inTime, [lookedAt])).toEqual([{ waits: true }]);
    await store.settle(settlementOf(attempt, taken(attempt)));
    await letBeDue(sender);
    await worker.look();
    expect([await waiting(), (await store.message(attempt)).status]).toEqual([0, 'DELIVERED']);
  });

  it('are given up at the last look, with one line, and are not looked at before they are due', async () => {
    const sender = await store.sender();
    await handle(sender, [statusOf(sender, 'wamid.1'), statusOf(sender, 'wamid.2')]);
    for (let look = 2; look <= LOOKS; look++) {
      await postpone();
      expect(await worker.look()).toEqual(expect.any(Number));
      expect([await waiting(), lines]).toEqual([2, []]);
      await letBeDue(sender);
      expect(await worker.look()).toBe(true);
    }
    expect(await waiting()).toBe(0);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { event: 'callback.unknown-message', organizationId: sender.organizationId, statuses: 2 },
    ]);
    expect(await worker.look()).toBe(false);
  });

  it('have fewer looks where their organization has many, and as many as ever in another', async () => {
    const [many, other] = [await store.sender(), await store.sender()];
    await handle(many, [statusOf(many, 'wamid.late')]);
    await handle(other, [statusOf(other, 'wamid.other')]);
    await letWait(many, MANY);
    for (let look = 2; look <= LOOKS_AMONG_MANY; look++) {
      expect(givenUp()).toEqual([]);
      await store.superuser.dataSource.query('UPDATE messaging.waiting_status SET due_at = now() WHERE looks = $1', [
        look - 1,
      ]);
      await worker.look();
    }
    expect(givenUp()).toEqual([['callback.unknown-message', many.organizationId, 1]]);
    expect(await waiting()).toBe(MANY + 1);
  });

  it('are not set aside beyond a bound of their organization, which no other one shares', async () => {
    const [full, other] = [await store.sender(), await store.sender()];
    await letWait(full, WAITING_MAX - 1);
    await handle(full, [statusOf(full, 'wamid.last'), statusOf(full, 'wamid.beyond'), statusOf(other, 'wamid.other')]);
    expect(await waiting()).toBe(WAITING_MAX + 1);
    expect(givenUp()).toEqual([['callback.unknown-message', full.organizationId, 1]]);
  });

  it('of one organization whose row is locked, or which has many, hold up none of another', async () => {
    const [locked, other] = [await store.sender(), await store.sender()];
    for (const sender of [locked, other]) {
      const attempt = await store.attempt(sender);
      const own = statusOf(sender, `wamid.${attempt.messageId}`);
      const more = sender === locked ? Array.from({ length: UNKNOWN }, () => statusOf(sender, newCuid())) : [];
      await handle(sender, [own, ...more]);
      await store.settle(settlementOf(attempt, taken(attempt)));
      await letBeDue(sender);
    }
    const holder = await store.superuser.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM messaging.conversation WHERE organization_id = $1 FOR UPDATE', [
        locked.organizationId,
      ]);
      await worker.look();
      const left = 'SELECT count(*)::int AS n FROM messaging.waiting_status WHERE organization_id = $1';
      expect(await store.superuser.dataSource.query(left, [other.organizationId])).toEqual([{ n: 0 }]);
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
  });

  it('wait once, however often they are set aside, and are left by a look to whoever holds them', async () => {
    const { organizationId, channelId } = await store.sender();
    const fact = { type: 'delivered', at: new Date() } as const;
    const of = { organizationId, channelId, upstreamMessageId: 'wamid.unknown', messageId: null };
    const status = { ...of, eventId: newCuid(), fact, traceparent: null, looks: 1 };
    for (let times = 0; times < 2; times++) await store.database.transaction((tx) => setAside(tx, [status]));
    expect(await waiting()).toBe(1);
    const looks = (leftAlone: string[]): Promise<unknown> => nextLooks(store.database, leftAlone);
    expect([await looks([]), await looks([organizationId])]).toMatchObject([[{ organizationId }], []]);
    await store.superuser.dataSource.query("UPDATE messaging.waiting_status SET due_at = now() - interval '1 ms'");
    const take = (): Promise<unknown> => store.database.transaction((tx) => takeDue(tx, organizationId, 10));
    const holder = await store.superuser.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM messaging.waiting_status FOR UPDATE');
      expect(await take()).toEqual([]);
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
    expect(await take()).toEqual([status]);
  });
});

function statusOf(sender: Sender, id: string): DeliveredEvent {
  const item = { id, status: 'delivered', timestamp: '1749416383' };
  return deliveredCallback(callbackStatus, { phoneNumberId: sender.phoneNumberId, item });
}

function messageOf(sender: Sender): DeliveredEvent {
  const from = sender.contacts[0]?.phone.slice(1) ?? '';
  const message = { id: `wamid.${newCuid()}`, from, timestamp: '1749416383', type: 'text', text: { body: 'hello' } };
  return deliveredCallback(callbackMessage, {
    phoneNumberId: sender.phoneNumberId,
    item: { message, profileName: null },
  });
}
