import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { replayWebhookRpc } from '@switchboard/contracts/webhooks/rpc';
import { statement } from '@switchboard/postgres';
import { eventually, nodesOf, planOf, preparedStatements, testServers } from '@switchboard/testing';
import { waitingOf } from '../src/replay/replayed-events.repository.js';
import { heldWebhook } from './held-webhook.js';
import { startWebhooks, type RunningWebhooks } from './running-webhooks.js';

const servers = testServers();
const pendingSql = statement<{ waiting: number; all: number }>(
  't.pending',
  `SELECT (count(*) FILTER (WHERE attempt_id IS NULL))::integer AS waiting, count(*)::integer AS all
   FROM webhooks.delivery WHERE webhook_id = $1`,
);
const runningSql = statement<{ count: number }>(
  't.running',
  'SELECT count(*)::integer AS count FROM webhooks.replay WHERE webhook_id = $1 AND ended_at IS NULL',
);
const PERIOD = { since: new Date(0).toISOString(), until: null, events: null, dryRun: false };
let running: RunningWebhooks;

beforeAll(async () => {
  running = await startWebhooks(servers, 0.001);
});

/** A webhook whose receiver holds the first of its four events. */
async function held(path: string) {
  const { customer, id: webhookId, release } = await heldWebhook(running, path, ['message.received']);
  for (const text of ['2', '3', '4']) await customer.receive(text);
  const pending = async () => (await running.superuser.query(pendingSql, [webhookId]))[0];
  await eventually(async () => (await pending())?.waiting === 3);
  return {
    /** Until all of it is queued. @returns what was answered */
    replay: async (onlyMissed: boolean) => {
      const request = { ...PERIOD, replayId: newCuid(), webhookId, onlyMissed };
      const answer = await running.gateway.call(replayWebhookRpc, customer.principal, request);
      await eventually(async () => (await running.superuser.query(runningSql, [webhookId]))[0]?.count === 0);
      return answer;
    },
    /** How often each event has arrived when nothing is pending any more. */
    arrivals: async () => {
      release();
      await eventually(async () => (await pending())?.all === 0);
      const byEvent = Map.groupBy(running.receiver.arrivals(path), ({ dataId }) => dataId);
      return [...byEvent.values()].map(({ length }) => length);
    },
  };
}

describe('a replay', () => {
  it('with onlyMissed sends no second time what waits for its first attempt, of another replay too', async () => {
    const { replay, arrivals } = await held('/missed');
    expect(await replay(true)).toEqual({ count: 4 });
    expect(await replay(true)).toEqual({ count: 4 });
    // Of the first one it was not known whether it arrives.
    expect(await arrivals()).toEqual([2, 1, 1, 1]);
  });

  it('of all sends again what waits for its first attempt, too', async () => {
    const { replay, arrivals } = await held('/all');
    expect(await replay(false)).toEqual({ count: 4 });
    expect(await arrivals()).toEqual([2, 2, 2, 2]);
  });

  it('finds what waits by its position', async () => {
    const database = await running.prepared.database({ poolMax: 1 });
    await waitingOf(database, newCuid(), [{ id: newCuid(), position: 1 }]);
    const waiting = (await preparedStatements(database)).find(({ name }) => name === 'webhooks.replay.waiting-first');
    if (!waiting) throw new Error('the statement was not prepared');
    const plan = await planOf(database, waiting, { values: [`'${newCuid()}'`, `'{1,2,3}'`], analyze: false });
    const indexes = nodesOf(plan).flatMap((node) => node['Index Name'] ?? []);
    expect(indexes).toEqual(['delivery_first', 'delivery_first']);
  });
});
