import { beforeAll, expect } from '@jest/globals';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import {
  findMessagesRpc,
  getMessageRpc,
  listConversationsRpc,
  sendMessageRpc,
} from '@switchboard/contracts/messaging/rpc';
import type { TestServers } from '@switchboard/testing';
import {
  answerRpcs,
  bootGateway,
  issueKey,
  sendRaw,
  type IssuedKey,
  type RawAnswer,
  type TestGateway,
} from './gateway-harness.js';

/** A number whose owner has opted out at the stand-in for messaging. */
export const REFUSED = '+12015550100';
/** The base that redirects lead to. */
export const PUBLIC_BASE_URL = 'https://api.example.test';

/** A gateway to talk to, with a stand-in for messaging behind it and a key of an organization without limits. */
export class HttpHarness {
  private made: { readonly booted: TestGateway; readonly key: IssuedKey } | undefined;
  /** Every send that reached messaging. */
  readonly sent: unknown[] = [];
  /** Every search for messages that reached messaging, and the pages that answer the next ones. */
  readonly searches: unknown[] = [];
  readonly pages: unknown[] = [];

  constructor(servers: TestServers) {
    beforeAll(async () => {
      const booted = await bootGateway(servers, { PUBLIC_BASE_URL: `${PUBLIC_BASE_URL}/` });
      this.made = { booted, key: await issueKey(booted.database) };
      await answerRpcs(await (await servers.nats()).connect('messaging'), 'messaging', this.answers());
    });
  }

  get booted(): TestGateway {
    if (!this.made) throw new Error('the gateway is not up yet');
    return this.made.booted;
  }

  get key(): IssuedKey {
    if (!this.made) throw new Error('the gateway is not up yet');
    return this.made.key;
  }

  readonly authorization = (secret = this.key.secret): Record<string, string> => ({
    authorization: `Bearer ${secret}`,
  });

  readonly call = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(new URL(path, this.booted.gateway.url), { redirect: 'manual', ...init });

  /** `POST /v1/messages` with the key. */
  readonly post = (body: NonNullable<RequestInit['body']>, headers: Record<string, string> = {}): Promise<Response> =>
    this.call('/v1/messages', {
      method: 'POST',
      body,
      headers: { ...this.authorization(), 'content-type': 'application/json', ...headers },
    });

  /** One request by hand, on a connection of its own. */
  readonly raw = async (head: string, body: string | Buffer = ''): Promise<RawAnswer> => {
    const bytes = Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), Buffer.from(body)]);
    const [answer] = await sendRaw(this.booted.gateway.url, bytes);
    if (!answer) throw new Error('no answer');
    return answer;
  };

  /** The head of a request with the key. */
  readonly headWithKey = (requestLine: string, ...headers: string[]): string =>
    [requestLine, 'Host: x', `Authorization: Bearer ${this.key.secret}`, ...headers].join('\r\n');

  private answers(): Readonly<Record<string, (request: unknown) => unknown>> {
    return {
      [sendMessageRpc.subject]: (request) => {
        this.sent.push(request);
        const { messageId: id, to } = request as { messageId: string; to: string };
        if (to === REFUSED) throw new AppError(messagingErrors.CONTACT_OPTED_OUT, undefined, { messageId: id });
        return { id, conversationId: 'c1', contactId: 'c2', upstreamMessageId: null, surplus: 'never shown' };
      },
      [findMessagesRpc.subject]: (request) => {
        this.searches.push(request);
        return this.pages.shift() ?? { items: [] };
      },
      [getMessageRpc.subject]: () => {
        throw new AppError(messagingErrors.MESSAGE_NOT_FOUND);
      },
      [listConversationsRpc.subject]: (request) => ({ items: [request] }),
    };
  }
}

/** The promise of every failure. */
export function expectEnvelope(answer: RawAnswer | undefined, status: number, code: string): void {
  const { body = '', headers = new Map<string, string>() } = answer ?? {};
  expect({ status: answer?.status, body: body === '' ? null : (JSON.parse(body) as unknown) }).toEqual({
    status,
    body: { error: { code, message: expect.stringMatching(/^[^\n]{5,300}$/) } },
  });
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(headers.get('x-request-id')).toMatch(/^[0-9a-f]{32}$/);
  if (status === 401) expect(headers.get('www-authenticate')).toBe('Bearer');
  if (status === 503 || status === 429) expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
}
