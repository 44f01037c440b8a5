import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { deleteWebhookRpc } from '@switchboard/contracts/webhooks/rpc';
import { Database, OutcomeUnknown, statement } from '@switchboard/postgres';
import { eventually, testServers } from '@switchboard/testing';
import { newCustomer } from '../../test/customer.js';
import { startWebhooks, type RunningWebhooks } from '../../test/running-webhooks.js';
import { LaneBook } from './lane-book.js';
import { OpenLane } from './open-lane.js';
import { WorkerLease } from './worker-lease.js';

const servers = testServers();
const countSql = statement<{ pending: number; dropped: number }>(
  't.deliveries-of-webhook',
  `SELECT (SELECT count(*)::integer FROM webhooks.delivery WHERE webhook_id = $1) AS pending,
     (SELECT count(*)::integer FROM webhooks.dropped_delivery WHERE webhook_id = $1) AS dropped`,
);
const attemptsSql = statement<{ outcome: string; error: string | null }>(
  't.attempts-of-webhook',
  'SELECT outcome, error FROM webhooks.attempt WHERE webhook_id = $1',
);
let running: RunningWebhooks;

beforeAll(async () => {
  running = await startWebhooks(servers);
});

describe('a webhook that is deleted while its deliveries are in memory', () => {
  it('is forgotten by the worker, and they are dropped', async () => {
    const lost = jest.spyOn(LaneBook.prototype, 'lost');
    const customer = newCustomer(running);
    const held = Promise.withResolvers<() => void>();
    const url = running.receiver.at('/deleted', (response) => held.resolve(() => void response.end()));
    const { id } = await customer.register(url);
    const conversationId = newCuid();
    for (const text of ['1', '2', '3']) await customer.receive(text, conversationId);
    const release = await held.promise;
    await eventually(async () => (await running.superuser.query(countSql, [id]))[0]?.pending === 3);
    await running.gateway.call(deleteWebhookRpc, customer.principal, { id });
    release();
    await eventually(() => lost.mock.calls.some(([webhookId]) => webhookId === id));
    await eventually(async () => (await running.superuser.query(countSql, [id]))[0]?.pending === 0);
    expect(await running.superuser.query(countSql, [id])).toEqual([{ pending: 0, dropped: 2 }]);
    expect(running.receiver.arrivals('/deleted')).toHaveLength(1);
  });
});

describe('a turn whose COMMIT is not answered', () => {
  it('uses up no attempt of what it marked, which is sent at once', async () => {
    const customer = newCustomer(running);
    const { id } = await customer.register(running.receiver.at('/in-doubt'));
    const { transaction } = Database.prototype;
    let isLost = false;
    const spy = jest.spyOn(Database.prototype, 'transaction').mockImplementation(async function (
      this: Database,
      ...given: Parameters<typeof transaction>
    ): Promise<unknown> {
      const result: unknown = await transaction.apply(this, given);
      const begun = (result as { readonly begun?: readonly unknown[] } | undefined)?.begun ?? [];
      if (isLost || begun.length === 0) return result;
      isLost = true;
      throw new OutcomeUnknown(new Error('the connection broke'));
    });
    try {
      await customer.receive('1', newCuid());
      await eventually(async () => (await running.superuser.query(attemptsSql, [id])).length > 0);
    } finally {
      spy.mockRestore();
    }
    expect(isLost).toBe(true);
    expect(await running.superuser.query(attemptsSql, [id])).toEqual([{ outcome: 'SUCCEEDED', error: null }]);
    expect(running.receiver.arrivals('/in-doubt')).toHaveLength(1);
  });
});

describe('a receiver that answers with more than is read of it', () => {
  it('gives way to others until it answers with less, which may be more than is kept', async () => {
    const answered = jest.spyOn(OpenLane.prototype, 'answered');
    const answers = ['x'.repeat(100_000), 'x'.repeat(2_000)];
    const customer = newCustomer(running);
    const url = running.receiver.at('/long', (response) => void response.end(answers.shift()));
    const { id } = await customer.register(url);
    const givesWay = (): boolean[] => {
      const lanes = answered.mock.contexts as readonly OpenLane[];
      return answered.mock.calls.flatMap(([{ isCut }], call) => (lanes[call]?.webhookId === id ? isCut : []));
    };
    for (const expected of [[true], [true, false]]) {
      await customer.receive('1', newCuid());
      await eventually(() => givesWay().length === expected.length);
      expect(givesWay()).toEqual(expected);
    }
    // The turn that records the last end comes behind it.
    await eventually(async () => (await running.superuser.query(countSql, [id]))[0]?.pending === 0);
  });
});

describe('a turn that waits', () => {
  it('keeps the lease from lapsing no more than any other', async () => {
    const gate = Promise.withResolvers<void>();
    const read = jest.spyOn(LaneBook.prototype, 'read').mockImplementation(() => gate.promise);
    const renew = jest.spyOn(WorkerLease.prototype, 'renew');
    try {
      await eventually(() => read.mock.calls.some(([sort]) => sort === 'answering'));
      const renewed = renew.mock.calls.length;
      await eventually(() => renew.mock.calls.length > renewed + 1);
    } finally {
      gate.resolve();
      read.mockRestore();
      renew.mockRestore();
    }
  });
});
