import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { systemPrincipal } from '@switchboard/contracts/grammar/principal';
import { sendMessageOnceRpc, type AnswerOnce, type SendMessageOnceRequest } from '@switchboard/contracts/messaging/rpc';
import type { RpcClient } from '@switchboard/nats';
import { createLog, startService, systemClock } from '@switchboard/platform';
import { testServers } from '@switchboard/testing';
import { PatientRpcClient } from '@switchboard/testing/patient-rpc-client';
import fc from 'fast-check';
import { Channel } from '../src/channel/channel.entity.js';
import { Message } from '../src/message/message.entity.js';
import { messagingConfig } from '../src/messaging.config.js';
import { MessagingModule } from '../src/messaging.module.js';
import { callbackOf, MessagingStore, storeKey, type Sender } from './messaging-store.js';

const servers = testServers();
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** What the provider does with a message, by its text. */
const UPSTREAM = {
  'is taken': () => 200,
  'is refused for good': () => 131026,
  'is refused for an opt-out': () => 131050,
  'is refused for its token': () => 190,
  'is refused for its token without a word': () => 401,
  'is put off': () => 130429,
  'is cut': () => null,
} satisfies Record<string, () => number | null>;
type Fate = keyof typeof UPSTREAM;
const FATES = Object.keys(UPSTREAM) as Fate[];
const CALLBACKS = ['sent', 'delivered', 'read', 'failed'] as const;

describe('a text that is to be sent once', () => {
  let store: MessagingStore;
  let client: RpcClient;
  /** Requests that reached the provider, by message. */
  const requests = new Map<string, number>();

  beforeAll(async () => {
    store = await MessagingStore.open(servers);
    const nats = await servers.nats();
    client = new PatientRpcClient(await nats.connect('gateway'));
    const config = messagingConfig({
      DATABASE_URL: store.url,
      NATS_URL: nats.url,
      NATS_USER: 'messaging',
      NATS_PASSWORD: nats.password,
      CLOUD_BASE_URL: await startProvider(),
      CREDENTIALS_KEY: storeKey.toString('base64'),
    });
    // For a machine at a tenth of its speed: else a send that is stored in more than 2 s may begin no more, and is put off.
    jest.spyOn(systemClock, 'monotonic').mockImplementation(() => performance.now() / 10);
    const module = MessagingModule.of(config);
    const log = createLog('messaging', { write: () => undefined });
    const running = await startService({ service: 'messaging', config, log, module, entities: [Channel, Message] });
    servers.onEnd(() => running.stop());
  });

  it.each(FATES)(
    'that %s is answered the same to the byte for ever, whatever the outcome of its message',
    async (fate) => {
      const moves = fc.array(fc.constantFrom(...CALLBACKS), { minLength: 1, maxLength: 4 });
      await fc.assert(
        fc.asyncProperty(moves, async (statuses) => {
          const sender = await store.sender();
          const first = await ask(sender, { text: fate });
          const { messageId } = first;
          expect(first.isReplay).toBe(false);
          for (const status of statuses) {
            await store.callbacks(callbackOf(sender, { messageId }, { status, errors: [{ code: 131049 }] }));
            const again = await Promise.all([1, 2, 3].map(() => ask(sender, { text: fate })));
            expect(again).toEqual(again.map(() => ({ ...first, isReplay: true })));
          }
          // What was put off may be sent again before the first callback makes that needless.
          if (fate !== 'is put off') expect(requests.get(messageId)).toBe(1);
        }),
        { numRuns: 5 },
      );
    },
  );

  it('is answered as without a key: the same fields, the same refusals', async () => {
    const answers = await Promise.all(FATES.map(async (text) => ask(await store.sender(), { text })));
    const answered = answers.map(({ status, body, messageId }) => [status, body.replaceAll(messageId, 'ID')]);
    expect(answered).toEqual([
      [
        200,
        expect.stringMatching(
          /^{"id":"ID","conversationId":"c\w+","contactId":"c\w+","upstreamMessageId":"wamid.ID"}$/,
        ),
      ],
      [
        400,
        '{"error":{"code":"UPSTREAM_REJECTED","message":"The upstream provider refused the message (131026: no)"}}',
      ],
      [403, '{"error":{"code":"CONTACT_OPTED_OUT","message":"The contact has opted out on this channel"}}'],
      [403, expect.stringMatching(/^{"error":{"code":"UPSTREAM_NOT_CONNECTED","message":".*190: no.*"}}$/)],
      [403, expect.stringMatching(/^{"error":{"code":"UPSTREAM_NOT_CONNECTED","message":".*401: .*"}}$/)],
      [200, expect.stringMatching(/"upstreamMessageId":null}$/)],
      [200, expect.stringMatching(/"upstreamMessageId":null}$/)],
    ]);
  });

  it('is answered again under a key that an earlier release stored by the bytes of the body', async () => {
    const sender = await store.sender();
    const first = await ask(sender, { text: 'is taken', body: 'the bytes' });
    const again = await ask(sender, { text: 'is taken', body: 'the canonical form', bytes: 'the bytes' });
    expect(again).toEqual({ ...first, isReplay: true });
    const other = ask(sender, { text: 'is taken', body: 'the canonical form', bytes: 'other bytes' });
    await expect(other).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('is refused under a key that had another body, whatever the state of the first and of the second', async () => {
    const sender = await store.sender();
    await ask(sender, { text: 'is taken', body: 'one' });
    const refused = { code: 'CONFLICT', status: 409, message: expect.stringMatching(/another body/) };
    await expect(ask(sender, { text: 'is taken', body: 'two' })).rejects.toMatchObject(refused);
    await expect(ask(sender, { text: null, body: 'two' })).rejects.toMatchObject(refused);
    await expect(ask(sender, { text: 'is taken', body: 'two', channel: newCuid() })).rejects.toMatchObject(refused);
    await forgetAnswer(sender);
    await expect(ask(sender, { text: 'is taken', body: 'two' })).rejects.toMatchObject(refused);
  });

  it('leaves its key free when it is refused before it is stored', async () => {
    const sender = await store.sender();
    const missing = ask(sender, { text: 'is taken', channel: newCuid() });
    await expect(missing).rejects.toMatchObject({ code: 'CHANNEL_NOT_FOUND', messageId: undefined });
    await expect(ask(sender, { text: 'is taken', to: 'no number' })).rejects.toMatchObject({ code: 'INVALID_PHONE' });
    expect(await answerTo(sender, { text: null })).toBeNull();
    expect(await ask(sender, { text: 'is taken', body: 'another' })).toMatchObject({ status: 200, isReplay: false });
  });

  it('that the edge refuses meanwhile is answered as before when it was sent, and is not sent when it was not', async () => {
    const sender = await store.sender();
    expect(await answerTo(sender, { text: null })).toBeNull();
    const first = await ask(sender, { text: 'is taken' });
    expect(await answerTo(sender, { text: null })).toEqual({ ...first, isReplay: true });
    expect(await answerTo(await store.sender(), { text: null })).toBeNull();
  });

  it('is in flight for its twins while its outcome is unknown, and soon is answered for the process that died', async () => {
    const sender = await store.sender();
    const { messageId, ...first } = await ask(sender, { text: 'is taken' });
    await forgetAnswer(sender);
    await reopen(messageId, sender);
    const storedAt = (moment: string): Promise<unknown> =>
      store.superuser.dataSource.query(
        `UPDATE messaging.idempotency_key SET created_at = ${moment} WHERE organization_id = $1`,
        [sender.organizationId],
      );
    // Not so long ago, however long the questions take.
    await storedAt("now() + interval '1 hour'");
    const conflict = { code: 'CONFLICT', retryAfterSeconds: 1, message: expect.stringMatching(/in flight/) };
    await expect(ask(sender, { text: 'is taken' })).rejects.toMatchObject(conflict);
    await expect(ask(sender, { text: null })).rejects.toMatchObject(conflict);
    // Later than any first request answers by itself; the upstream's word has not come.
    await storedAt("now() - interval '9 s'");
    const twins = await Promise.all(Array.from({ length: 20 }, () => ask(sender, { text: 'is taken' })));
    const body = first.body.replace(/"upstreamMessageId":".*"/, '"upstreamMessageId":null');
    expect(twins).toEqual(twins.map(() => ({ status: 200, body, messageId, isReplay: true })));
    await store.callbacks(callbackOf(sender, { messageId }, { status: 'delivered' }));
    expect(await ask(sender, { text: 'is taken' })).toEqual(twins[0]);
  });

  const repeated = [
    'is taken',
    'is refused for good',
    'is refused for an opt-out',
    'is refused for its token without a word',
  ];
  it.each(repeated as Fate[])(
    'whose answer was lost with its process although it %s is answered by its message, to all twins the same',
    async (fate) => {
      const sender = await store.sender();
      const first = await ask(sender, { text: fate });
      await forgetAnswer(sender);
      const twins = await Promise.all(Array.from({ length: 20 }, () => ask(sender, { text: fate })));
      expect(twins).toEqual(twins.map(() => ({ ...first, isReplay: true })));
      expect(requests.get(first.messageId)).toBe(1);
    },
  );

  it('is one message for 200 twins at once, who all get its answer or a conflict', async () => {
    const sender = await store.sender();
    const settled = await Promise.allSettled(Array.from({ length: 200 }, () => ask(sender, { text: 'is taken' })));
    const answers = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const refusals = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
    expect(answers.filter(({ isReplay }) => !isReplay)).toHaveLength(1);
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
    expect([...new Set(refusals)]).toEqual(['CONFLICT']);
    const [row] = await store.superuser.dataSource.query(
      'SELECT count(*)::int AS messages FROM messaging.message WHERE organization_id = $1',
      [sender.organizationId],
    );
    expect([row.messages, requests.get(answers[0]?.messageId ?? '')]).toEqual([1, 1]);
  });

  /** What is asked otherwise than for the sender's first contact on its channel. */
  interface Input {
    /** Null: the edge refused it. */
    readonly text: Fate | null;
    readonly body?: string;
    readonly bytes?: string;
    readonly to?: string;
    readonly channel?: string;
  }

  async function answerTo(
    sender: Sender,
    { text, body = 'body', bytes, to, channel }: Input,
  ): Promise<AnswerOnce | null> {
    const request: SendMessageOnceRequest = {
      messageId: newCuid(),
      keySha256: sha256('key'),
      bodySha256: sha256(body),
      ...(bytes !== undefined && { bodyBytesSha256: sha256(bytes) }),
      content: text && {
        text,
        to: to ?? sender.contacts[0]?.phone ?? '',
        messagingChannelId: channel ?? sender.channelId,
      },
    };
    const principal = systemPrincipal(sender.organizationId, 'test');
    return (await client.call(sendMessageOnceRpc, principal, request)).answer;
  }

  async function ask(sender: Sender, input: Input): Promise<AnswerOnce> {
    const answer = await answerTo(sender, input);
    if (!answer) throw new Error('there is no answer');
    return answer;
  }

  /** As if its process had died before it stored the answer. */
  async function forgetAnswer({ organizationId }: Sender): Promise<void> {
    const sql =
      'UPDATE messaging.idempotency_key SET status = NULL, response = NULL WHERE organization_id = $1 RETURNING 1';
    expect((await store.superuser.dataSource.query(sql, [organizationId]))[1]).toBe(1);
  }

  /** As if the outcome of the attempt were still unknown. */
  async function reopen(messageId: string, { organizationId, channelId, contacts }: Sender): Promise<void> {
    await store.superuser.dataSource.query(
      `INSERT INTO messaging.dispatch (organization_id, message_id, channel_id, contact_id, recipient_phone, lease, state,
         due_at, attempts)
       VALUES ($1, $2, $3, $4, $5, 'of the dead', 'DISPATCHING', now() + interval '40 s', 1)`,
      [organizationId, messageId, channelId, contacts[0]?.id, contacts[0]?.phone],
    );
    await store.superuser.dataSource.query(
      `UPDATE messaging.message SET status = 'QUEUED', sent_at = NULL, upstream_message_id = NULL WHERE id = $1`,
      [messageId],
    );
  }

  /** A provider that does as the text says. @returns its address */
  async function startProvider(): Promise<string> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const message = JSON.parse(Buffer.concat(chunks).toString('utf8'));
        const reference: string = message.biz_opaque_callback_data;
        requests.set(reference, (requests.get(reference) ?? 0) + 1);
        const code = UPSTREAM[message.text.body as Fate]();
        if (code === null) return void request.socket.destroy();
        if (code === 200) return void response.end(JSON.stringify({ messages: [{ id: `wamid.${reference}` }] }));
        if (code === 401) return void response.writeHead(401).end();
        response.statusCode = 400;
        response.end(JSON.stringify({ error: { code, message: 'no' } }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    servers.onEnd(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
});
