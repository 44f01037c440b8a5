import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { systemPrincipal } from '@switchboard/contracts/grammar/principal';
import { sendMessageRpc } from '@switchboard/contracts/messaging/rpc';
import { Budget, RpcClient } from '@switchboard/nats';
import { createLog, startService, type RunningService } from '@switchboard/platform';
import { eventually, lengthenDeadlines, testServers } from '@switchboard/testing';
import { Channel } from '../src/channel/channel.entity.js';
import { Message } from '../src/message/message.entity.js';
import { messagingConfig } from '../src/messaging.config.js';
import { MessagingModule } from '../src/messaging.module.js';
import { MessagingStore, settlementOf, storeKey, type Sender } from './messaging-store.js';

const servers = testServers();
/** A stop that waits for none of the lengthened deadlines; on an idle machine it takes 4 s. */
const STOP_WITHIN_MS = 30_000;
/** The service gives up what is open after 3.5 s, and ends whatever is left after 5 s. */
const [GIVES_UP_MS, ENDS_MS] = [3_500, 5_000];
const SENDS = 60;

/** How a send ended for its caller. */
type Answer = { readonly id: string; readonly upstreamMessageId: string | null } | { readonly refused: string };

describe('messaging under load', () => {
  let store: MessagingStore;
  let provider: Provider;
  let client: RpcClient;
  let start: () => Promise<RunningService>;
  let restoreDeadlines: () => void = () => undefined;

  beforeAll(async () => {
    store = await MessagingStore.open(servers);
    provider = await Provider.listen();
    servers.onEnd(() => provider.close());
    const nats = await servers.nats();
    client = new RpcClient(await nats.connect('gateway'));
    const config = messagingConfig({
      DATABASE_URL: store.url,
      NATS_URL: nats.url,
      NATS_USER: 'messaging',
      NATS_PASSWORD: nats.password,
      CLOUD_BASE_URL: provider.url,
      CREDENTIALS_KEY: storeKey.toString('base64'),
    });
    start = () =>
      startService({
        service: 'messaging',
        config,
        log: createLog('messaging'),
        module: MessagingModule.of(config),
        entities: [Channel, Message],
      });
  });

  afterEach(() => {
    provider.reset();
    restoreDeadlines();
  });

  it('sends everything once and leaves nothing open or unknown while all is well', async () => {
    provider.isClosingSome = true;
    const sender = await store.sender(SENDS);
    const running = await start();
    const references: string[] = [];
    const sendSome = async (): Promise<void> => {
      while (references.length < 1_500) {
        const to = sender.contacts[references.length % SENDS]?.phone ?? '';
        const reference = newCuid();
        references.push(reference);
        // As the gateway does: a machine that stands still for longer than a budget refuses, and is asked again.
        expect(await eventually(() => sent(sender, reference, to), { deadlineMs: 40_000 })).toMatchObject({
          id: reference,
        });
      }
    };
    await Promise.all(Array.from({ length: 32 }, sendSome));
    // On a machine that stands still an attempt may come too late to begin: it is repeated then, and not unknown.
    const states = await eventually(async () => {
      const all = await statesOf(references);
      return [...all.values()].some((state) => ['RETRY', 'DISPATCHING'].includes(state)) ? undefined : all;
    });
    await running.stop();
    expect(new Set(references.map((reference) => states.get(reference)))).toEqual(new Set(['SENT']));
    expect(new Set(references.map((reference) => provider.requests(reference)))).toEqual(new Set([1]));
  });

  it('stopped, leaves nothing unknown when the upstream answers within 2 s, and no caller without an answer', async () => {
    // What the upstream takes (2 s) is shorter, and stays.
    restoreDeadlines = lengthenDeadlines(GIVES_UP_MS);
    provider.latencyMs = 2_000;
    const { sender, answers, references } = await stopUnderLoad();
    const states = await statesOf(references);
    for (const [index, reference] of references.entries()) {
      const answer = answers[index];
      if (answer && 'refused' in answer) {
        expect(answer.refused).toBe('SERVICE_UNAVAILABLE');
        expect([reference, states.get(reference)]).toEqual([reference, undefined]);
      } else {
        // Taken and recorded, or provably not begun: to be sent by whoever comes next.
        const requests = provider.requests(reference);
        expect([reference, requests, states.get(reference)]).toEqual([
          reference,
          requests,
          requests === 1 ? 'SENT' : 'RETRY',
        ]);
      }
    }
    expect([...states.values()]).toContain('SENT');
    expect(sender.contacts).toHaveLength(SENDS);
  });

  it('stopped, ends in time when the upstream hangs, answers every caller, and leaves unknown what is', async () => {
    // Not the one after which open requests are given up: the stop ends by that.
    restoreDeadlines = lengthenDeadlines(ENDS_MS);
    provider.latencyMs = Infinity;
    const { answers, references } = await stopUnderLoad();
    const states = await statesOf(references);
    for (const [index, reference] of references.entries()) {
      const answer = answers[index];
      if (answer && 'refused' in answer) continue;
      expect(answer).toMatchObject({ id: reference, upstreamMessageId: null });
      expect([reference, states.get(reference)]).toEqual([
        reference,
        provider.requests(reference) === 1 ? 'UNKNOWN' : 'RETRY',
      ]);
    }
    expect([...states.values()]).toContain('UNKNOWN');
  });

  it('stopped, lets a repetition that is under way end as well, and begins no other', async () => {
    restoreDeadlines = lengthenDeadlines(GIVES_UP_MS);
    provider.latencyMs = 2_000;
    const sender = await store.sender(2);
    // Neither is due by itself before the test says so.
    const again = { state: 'not-taken', code: '130429', message: 'too many', retry: 'slow' } as const;
    const attempts = [await store.attempt(sender, 0), await store.attempt(sender, 1)] as const;
    for (const attempt of attempts) await store.settle(settlementOf(attempt, again));
    const running = await start();
    await store.letTimePass(attempts[0]);
    await eventually(() => provider.requests(attempts[0].messageId) === 1);
    const stopped = timed(running);
    await store.letTimePass(attempts[1]);
    expect(await stopped).toBeLessThan(STOP_WITHIN_MS);
    expect(await store.message(attempts[0])).toMatchObject({ status: 'SENT' });
    expect(provider.requests(attempts[1].messageId)).toBe(0);
    expect(await store.dispatches(attempts[1])).toMatchObject([{ state: 'RETRY', attempts: 1 }]);
  });

  /** Sends all the time, stops when some are open at the provider, and goes on sending into the stop. */
  async function stopUnderLoad(): Promise<{ sender: Sender; answers: Answer[]; references: string[] }> {
    const sender = await store.sender(SENDS);
    const running = await start();
    const references: string[] = [];
    const sends: Promise<Answer>[] = [];
    const sendNext = (): void => {
      const [reference, to] = [newCuid(), sender.contacts[sends.length]?.phone ?? ''];
      references.push(reference);
      sends.push(send(sender, reference, to));
    };
    while (sends.length < SENDS / 2) sendNext();
    // Of these: what an earlier test left to be repeated is sent as well.
    await eventually(() => references.filter((reference) => provider.requests(reference) > 0).length >= 10);
    const stopped = timed(running);
    while (sends.length < SENDS) {
      sendNext();
      await new Promise(setImmediate);
    }
    const answers = await Promise.all(sends);
    expect(await stopped).toBeLessThan(STOP_WITHIN_MS);
    return { sender, answers, references };
  }

  async function send({ organizationId, channelId }: Sender, messageId: string, to: string): Promise<Answer> {
    const request = { messageId, to, text: 'hello', messagingChannelId: channelId };
    try {
      const limits = { budget: new Budget(12_000) };
      return await client.call(sendMessageRpc, systemPrincipal(organizationId, 'test'), request, limits);
    } catch (error) {
      // No replica took it: the only one is gone.
      return { refused: error instanceof AppError ? error.code : 'SERVICE_UNAVAILABLE' };
    }
  }

  /** The answer, or undefined when the service could not take the message in time. */
  async function sent(sender: Sender, messageId: string, to: string): Promise<Answer | undefined> {
    const answer = await send(sender, messageId, to);
    return 'refused' in answer && answer.refused === 'SERVICE_UNAVAILABLE' ? undefined : answer;
  }

  /** By reference: the state of what is open, else the message's status; nothing for what was not stored. */
  async function statesOf(references: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const rows: { id: string; state: string }[] = await store.superuser.dataSource.query(
      `SELECT m.id, coalesce(d.state, m.status) AS state
       FROM messaging.message m LEFT JOIN messaging.dispatch d ON d.message_id = m.id WHERE m.id = ANY($1)`,
      [references],
    );
    return new Map(rows.map(({ id, state }) => [id, state]));
  }
});

/** Milliseconds that a stop takes. */
async function timed(running: RunningService): Promise<number> {
  const startedMs = performance.now();
  await running.stop();
  return performance.now() - startedMs;
}

/** A provider that takes every message after a while; it counts what reached it. */
class Provider {
  /** Infinity: never. */
  latencyMs = 0;
  /** Some answers say that their connection is closed. */
  isClosingSome = false;
  total = 0;
  private readonly seen = new Map<string, number>();

  private constructor(
    readonly url: string,
    readonly close: () => Promise<unknown>,
  ) {}

  static async listen(): Promise<Provider> {
    let provider: Provider | undefined;
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => provider?.take(Buffer.concat(chunks).toString('utf8'), response));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const close = async (): Promise<void> => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    };
    provider = new Provider(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, close);
    return provider;
  }

  requests(reference: string): number {
    return this.seen.get(reference) ?? 0;
  }

  reset(): void {
    this.latencyMs = 0;
    this.isClosingSome = false;
    this.total = 0;
    this.seen.clear();
  }

  private take(body: string, response: ServerResponse): void {
    const { biz_opaque_callback_data: reference } = JSON.parse(body) as { biz_opaque_callback_data: string };
    this.seen.set(reference, this.requests(reference) + 1);
    this.total++;
    if (this.isClosingSome && this.total % 7 === 0) response.shouldKeepAlive = false;
    const answer = (): void => void response.end(JSON.stringify({ messages: [{ id: `wamid.${reference}` }] }));
    if (this.latencyMs < Infinity) setTimeout(answer, this.latencyMs);
  }
}
