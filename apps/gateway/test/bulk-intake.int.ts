import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import {
  abandonJobRpc,
  beginJobRpc,
  commitJobRpc,
  findJobByKeyRpc,
  stageRecipientsRpc,
  type BulkRecipient,
  type CommitJobRequest,
  type KeyedJob,
} from '@switchboard/contracts/templates/job-rpc';
import { eventually, testServers } from '@switchboard/testing';
import { bootGateway, issueKey, type IssuedKey, type RawAnswer } from './gateway-harness.js';
import { expectEnvelope, HttpHarness } from './http-harness.js';
import { jobOf, TemplatesStandIn } from './templates-stand-in.js';

const servers = testServers();
const http = new HttpHarness(servers);
const PATH = '/v1/templates/send';
const TEMPLATE = 'c0123456789abcdef';
const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');

const templates = new TemplatesStandIn();
const { asked } = templates;
const requestsOf = templates.requestsOf.bind(templates) as TemplatesStandIn['requestsOf'];

beforeAll(() => templates.answer(servers));
beforeEach(() => templates.forget());

const send = (body: unknown, headers: Record<string, string> = {}, key: IssuedKey = http.key): Promise<Response> =>
  http.call(PATH, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { ...http.authorization(key.secret), 'content-type': 'application/json', ...headers },
  });
const codeOf = async (answer: Response): Promise<unknown[]> => {
  const { error } = (await answer.json()) as { error: { code: string; message: string } };
  return [answer.status, error.code, error.message];
};
/** The one batch that was begun in this test is given up: that does not hold up its answer, and must not reach into the next test. */
const abandoned = async (): Promise<void> => {
  const { jobId } = await eventually(() => requestsOf<{ jobId: string }>(beginJobRpc)[0]);
  expect(await eventually(() => requestsOf(abandonJobRpc)[0])).toEqual({ jobId });
};
const recipients = (count: number, more: object = {}): object[] =>
  Array.from({ length: count }, (_none, index) => ({ to: `+1415${2_000_000 + index}`, ...more }));

describe('POST /v1/templates/send', () => {
  it('commits a small batch by one call, and answers 202 with the place of its job', async () => {
    const body = JSON.stringify({
      templateId: TEMPLATE,
      recipients: [{ to: '+1 415 200 0000', variables: ['Ada'], metadata: { a: 'b' } }, { to: '(415) 200-0001' }],
      scheduledAt: '2026-02-03',
      throttlePerHour: 7,
      surplus: 1,
    });
    const answer = await send(body);
    const job = (await answer.json()) as KeyedJob['job'];
    expect([answer.status, job]).toEqual([202, jobOf(job.id, 2)]);
    expect(answer.headers.get('location')).toBe(`${PATH}/${job.id}`);
    expect([answer.headers.get('idempotent-replayed'), answer.headers.get('idempotency-mismatch')]).toEqual([
      null,
      null,
    ]);
    expect(asked.map(({ rpc }) => rpc)).toEqual([commitJobRpc.subject]);
    expect(requestsOf<CommitJobRequest>(commitJobRpc)).toEqual([
      {
        jobId: job.id,
        key: { kind: 'derived', sha256: sha256(body) },
        bodySha256: sha256(body),
        template: { id: TEMPLATE },
        messagingChannelId: null,
        throttlePerHour: 7,
        scheduledAt: '2026-02-03T00:00:00.000Z',
        total: 2,
        recipients: [
          {
            to: '+1 415 200 0000',
            phone: { e164: '+14152000000', subscriber: '+14152000000' },
            variables: ['Ada'],
            clientReference: null,
            metadata: { a: 'b' },
          },
          { to: '(415) 200-0001', phone: null, variables: null, clientReference: null, metadata: null },
        ],
        messagesPerMonth: 50_000_000,
      },
    ]);
  });

  it('stages a large batch in chunks that a message of NATS holds, in order, and counts it', async () => {
    const total = 20_003;
    const body = { recipients: recipients(total, { variables: ['x'.repeat(60)] }), templateId: TEMPLATE };
    expect((await send(body)).status).toBe(202);
    expect(requestsOf(beginJobRpc)).toEqual([expect.objectContaining({ placesMax: 4 })]);
    const chunks = requestsOf<{ firstIndex: number; recipients: BulkRecipient[] }>(stageRecipientsRpc);
    const inOrder = [...chunks].sort((a, b) => a.firstIndex - b.firstIndex);
    let next = 0;
    for (const { firstIndex, recipients: some } of inOrder) {
      expect(firstIndex).toBe(next);
      expect(JSON.stringify(some).length).toBeLessThan(700_000);
      expect(some.length).toBeLessThanOrEqual(500);
      expect(some[0]?.to).toBe(`+1415${2_000_000 + next}`);
      next += some.length;
    }
    expect(next).toBe(total);
    expect(requestsOf(commitJobRpc)).toEqual([expect.objectContaining({ total, recipients: null })]);
    expect(asked.at(-1)?.rpc).toBe(commitJobRpc.subject);
  });

  it('stages a small body of many recipients uncounted', async () => {
    expect((await send({ templateId: TEMPLATE, recipients: recipients(501) })).status).toBe(202);
    expect(requestsOf(beginJobRpc)).toEqual([expect.objectContaining({ placesMax: null })]);
    expect(requestsOf(findJobByKeyRpc)).toHaveLength(1);
  });

  it('answers a replay with what is stored, before the shape is judged, and says so', async () => {
    templates.known = { job: jobOf(TEMPLATE, 3), isReplay: true, isMismatch: true };
    const answer = await send({ recipients: 'none' }, { 'idempotency-key': 'a key' });
    expect([answer.status, await answer.json()]).toEqual([202, templates.known.job]);
    expect(answer.headers.get('idempotent-replayed')).toBe('true');
    expect(answer.headers.get('idempotency-mismatch')).toBe('true');
    expect(asked.map(({ request }) => request)).toEqual([
      { key: { kind: 'explicit', sha256: sha256('a key') }, bodySha256: sha256('{"recipients":"none"}') },
    ]);
    asked.length = 0;
    const large = { templateId: TEMPLATE, recipients: recipients(20_000, { variables: ['x'.repeat(60)] }) };
    expect((await send(large, { 'idempotency-key': 'a key' })).status).toBe(202);
    expect(new Set(asked.map(({ rpc }) => rpc))).toEqual(new Set([findJobByKeyRpc.subject]));
  });

  it('refuses what is wrong as every other route does', async () => {
    const good = { templateId: TEMPLATE, recipients: recipients(1) };
    const cases: readonly [unknown, Record<string, string>, unknown[]][] = [
      ['{', {}, [400, 'MALFORMED_BODY', expect.any(String)]],
      ['', {}, [400, 'MALFORMED_BODY', 'The body is empty; it must be JSON']],
      [good, { 'content-type': 'text/plain' }, [415, 'UNSUPPORTED_MEDIA_TYPE', expect.any(String)]],
      [good, { 'content-type': 'application/x-streamed-json' }, [415, 'UNSUPPORTED_MEDIA_TYPE', expect.any(String)]],
      [good, { 'content-encoding': 'gzip' }, [415, 'UNSUPPORTED_MEDIA_TYPE', expect.any(String)]],
      [good, { 'idempotency-key': '' }, [400, 'VALIDATION_FAILED', expect.stringContaining('Idempotency-Key')]],
      [{ ...good, templateId: 'x' }, {}, [400, 'VALIDATION_FAILED', '`templateId` must be a cuid or null']],
      [{ recipients: [] }, {}, [400, 'VALIDATION_FAILED', 'Exactly one of `templateId` and `template` must be given']],
      [
        { ...good, throttlePerHour: 1_000_001 },
        {},
        [400, 'VALIDATION_FAILED', expect.stringContaining('`throttlePerHour`')],
      ],
      [{ ...good, throttlePerHour: 1.5 }, {}, [400, 'VALIDATION_FAILED', expect.stringContaining('`throttlePerHour`')]],
      [{ ...good, scheduledAt: 'soon' }, {}, [400, 'VALIDATION_FAILED', expect.stringContaining('`scheduledAt`')]],
      [
        { ...good, recipients: [{ to: 1 }] },
        {},
        [400, 'VALIDATION_FAILED', expect.stringContaining('`recipients[0].to`')],
      ],
      [
        `{"__proto__":1,${JSON.stringify(good).slice(1)}`,
        {},
        [400, 'VALIDATION_FAILED', expect.stringContaining('__proto__')],
      ],
    ];
    for (const [body, headers, expected] of cases) expect(await codeOf(await send(body, headers))).toEqual(expected);
    expect(requestsOf(commitJobRpc)).toEqual([]);
    templates.refusal = new AppError(messagingErrors.INVALID_PHONE, '`recipients[0].to` must be a phone number');
    expect(await codeOf(await send(good))).toEqual([400, 'INVALID_PHONE', '`recipients[0].to` must be a phone number']);
  });

  it('judges key, scope and plan before it reads a body, and one body too many', async () => {
    const head = (secret: string): string =>
      [
        `POST ${PATH} HTTP/1.1`,
        'Host: x',
        `Authorization: Bearer ${secret}`,
        'Content-Type: application/json',
        'Content-Length: 30000000',
      ].join('\r\n');
    const { database } = http.booted;
    const [trial, reader] = [
      await issueKey(database, { plan: 'TRIAL' }),
      await issueKey(database, { scopes: ['templates:read'] }),
    ];
    expectEnvelope(await http.raw(head('svc_live_none')), 401, 'UNAUTHORIZED');
    expectEnvelope(await http.raw(head(reader.secret)), 403, 'INSUFFICIENT_SCOPE');
    expectEnvelope(await http.raw(head(trial.secret)), 402, 'PAYMENT_REQUIRED');
    expectEnvelope(await http.raw(head(http.key.secret).replace('30000000', '33554433')), 413, 'PAYLOAD_TOO_LARGE');
    templates.isAdmitted = false;
    expectEnvelope(await http.raw(head(http.key.secret)), 429, 'RATE_LIMITED');
    await abandoned();
    expect(requestsOf(commitJobRpc)).toEqual([]);
  });

  it('refuses a body without a length as soon as it exceeds 32 MiB, and a recipient that is too large', async () => {
    const part = ` ${JSON.stringify({ to: '+14152000000', variables: ['x'.repeat(1_000)] })},`.repeat(1_000);
    const texts = [`{"templateId":"${TEMPLATE}","recipients":[`, ...Array.from({ length: 34 }, () => part)];
    const headers = { ...http.authorization(), 'content-type': 'application/json' };
    const stream = async (): Promise<unknown[] | false> => {
      templates.forget();
      const body = ReadableStream.from(texts.map((text) => Buffer.from(text)));
      const sent = http.call(PATH, { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
      // The answer comes while the client still sends: some clients see the closed connection first. 503: a busy machine.
      const codes = await sent.then(codeOf, () => [413]);
      return codes[0] !== 503 && codes;
    };
    expect(await eventually(stream)).toEqual(expect.arrayContaining([413]));
    await abandoned();
    expect(requestsOf(commitJobRpc)).toEqual([]);
    const large = { templateId: TEMPLATE, recipients: [{ to: '+14152000000', note: Array(150_000).fill('xx') }] };
    expect(await codeOf(await send(large))).toEqual([
      413,
      'PAYLOAD_TOO_LARGE',
      expect.stringContaining('`recipients`'),
    ]);
  });
});

describe('clients that do not send what they say', () => {
  const begin = (socket: Socket, path = PATH, length = 3_000_000): void => {
    const lines = [
      `POST ${path} HTTP/1.1`,
      'Host: x',
      `Authorization: Bearer ${http.key.secret}`,
      'Content-Type: application/json',
    ];
    socket.write(
      `${[...lines, `Content-Length: ${length}`].join('\r\n')}\r\n\r\n{"templateId":"${TEMPLATE}","recipients":[`,
    );
    socket.write(`${JSON.stringify({ to: '+14152000000', variables: ['x'.repeat(1_000)] })},`.repeat(2_000));
  };
  const open = async (url: string): Promise<Socket> => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return socket;
  };

  it('leave nothing behind when they break off', async () => {
    const socket = await open(http.booted.gateway.url);
    begin(socket);
    await eventually(() => requestsOf(stageRecipientsRpc)[2]);
    const logged = http.booted.log.lines.length;
    socket.destroy();
    await abandoned();
    const isEnd = ({ fields }: (typeof http.booted.log.lines)[number]): boolean =>
      fields.route === PATH && fields.code === 'VALIDATION_FAILED';
    await eventually(() => http.booted.log.lines.slice(logged).some(isEnd));
    expect(http.booted.log.lines.filter(({ event }) => event === 'unexpected')).toEqual([]);
    expect(requestsOf(commitJobRpc)).toEqual([]);
  });

  it('are answered 408 when they keep us waiting, and the connection ends', async () => {
    const { gateway, database } = await bootGateway(servers, {
      GATEWAY_REQUEST_TIMEOUT_MS: '1000',
      GATEWAY_HEADERS_TIMEOUT_MS: '1000',
    });
    const { secret } = await issueKey(database);
    const socket = await open(gateway.url);
    let received = '';
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
    // The time of a first request begins with its connection, which may wait to be read; that of the next one with its bytes.
    socket.write(`GET /v1/ping HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secret}\r\n\r\n`);
    await eventually(() => received.endsWith('}'));
    received = '';
    socket.write(
      `POST ${PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secret}\r\nContent-Type: application/json\r\nContent-Length: 3000000\r\n\r\n{`,
    );
    await once(socket, 'close');
    expect(received).toMatch(/^HTTP\/1\.1 408 /);
    expect(received).toMatch(/\r\nconnection: close\r\n/i);
    expect(JSON.parse(received.slice(received.indexOf('\r\n\r\n')))).toMatchObject({
      error: { code: 'REQUEST_TIMEOUT' },
    });
    await abandoned();
  });

  it('are answered when they say less than they send', async () => {
    const body = JSON.stringify({ templateId: TEMPLATE, recipients: recipients(3) });
    const head = http.headWithKey(
      `POST ${PATH} HTTP/1.1`,
      'Content-Type: application/json',
      `Content-Length: ${body.length - 1}`,
    );
    const answer: RawAnswer = await http.raw(head, body);
    expectEnvelope(answer, 400, 'MALFORMED_BODY');
  });
});

describe('the recipients of a job', () => {
  it('are asked for by status and page', async () => {
    const answer = await http.call(`${PATH}/${TEMPLATE}/recipients?status=SENT&limit=2&cursor=${TEMPLATE}`, {
      headers: http.authorization(),
    });
    expect(await answer.json()).toEqual({ items: [{ jobId: TEMPLATE, limit: 2, cursor: TEMPLATE, status: 'SENT' }] });
    const wrong = await http.call(`${PATH}/${TEMPLATE}/recipients?status=GONE`, { headers: http.authorization() });
    expect(await codeOf(wrong)).toEqual([400, 'VALIDATION_FAILED', expect.stringContaining('`status`')]);
  });
});
