import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { testWebhookRpc } from '@switchboard/contracts/webhooks/rpc';
import { statement } from '@switchboard/postgres';
import { eventually, lengthenDeadlines, testServers } from '@switchboard/testing';
import { newCustomer } from './customer.js';
import { startWebhooks, type RunningWebhooks } from './running-webhooks.js';

const servers = testServers();
/** A stop ends whatever is left after 5 s; what is under way is to end, and be recorded, before. */
const ENDS_MS = 5_000;
/** One that does not wait for the lengthened deadline; on an idle machine it takes 3 s. */
const STOP_WITHIN_MS = 30_000;
const attemptsSql = statement(
  't.attempts-of-webhook',
  'SELECT kind, outcome, error FROM webhooks.attempt WHERE webhook_id = $1 ORDER BY id',
);
const markedSql = statement(
  't.marked-of-webhook',
  'SELECT FROM webhooks.delivery WHERE webhook_id = $1 AND attempt_id IS NOT NULL',
);
const laneSql = statement(
  't.lane-of-webhook',
  `SELECT owner, consecutive_failures AS failures, window_max AS "windowMax", probing_since IS NOT NULL AS "isProbing"
   FROM webhooks.lane WHERE webhook_id = $1`,
);
let running: RunningWebhooks;

beforeAll(async () => {
  running = await startWebhooks(servers, 1, 0, 120_000);
});

describe('a process that is stopped in order', () => {
  it('records deliveries that last, gives back what it owns, and answers a test send that lasts: by its first end', async () => {
    const service = await running.start();
    const customer = newCustomer(running);
    const silent = customer.register(running.receiver.at('/silent', () => undefined));
    const proven = customer.register(running.receiver.at('/proven'), { events: ['message.received'] });
    const [{ id: silentId }, { id }] = [await silent, await proven];
    await customer.receive('answered');
    await eventually(async () => (await running.superuser.query(attemptsSql, [id])).length === 1);
    running.receiver.at('/proven', () => undefined);
    await customer.receive('not answered');
    await eventually(() => running.receiver.arrivals('/proven').length === 2);
    const by = { actId: newCuid(), userId: newCuid(), email: 'a@example.org', address: null, traceId: null };
    const tested = running.gateway.call(testWebhookRpc, customer.principal, { id: silentId, by });
    const isTested = () => running.receiver.arrivals('/silent').some(({ event }) => event === 'webhook.test');
    await eventually(isTested);
    const restoreDeadlines = lengthenDeadlines(ENDS_MS);
    const startedMs = performance.now();
    await service.stop().finally(restoreDeadlines);
    expect(performance.now() - startedMs).toBeLessThan(STOP_WITHIN_MS);
    expect(await tested).toMatchObject({ delivered: false, responseStatus: null, error: 'interrupted' });
    const interrupted = { outcome: 'FAILED', error: 'interrupted' };
    const ofTest = { kind: 'TEST', ...interrupted };
    expect(await running.superuser.query(attemptsSql, [silentId])).toContainEqual(ofTest);
    expect(await running.superuser.query(attemptsSql, [id])).toMatchObject([{ outcome: 'SUCCEEDED' }, interrupted]);
    expect(await running.superuser.query(markedSql, [id])).toEqual([]);
    expect(await running.superuser.query(laneSql, [id])).toMatchObject([{ owner: null, failures: 0, windowMax: 2 }]);
    // It has never answered: the next process does not begin anew at once, and the count goes on.
    expect(await running.superuser.query(laneSql, [silentId])).toMatchObject([{ failures: 1, isProbing: true }]);
  });
});
