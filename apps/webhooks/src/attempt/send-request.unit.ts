import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { OutboundEnd, OutboundError, OutboundHttp } from '@switchboard/outbound-http';
import { systemClock, type Log } from '@switchboard/platform';
import { SecretBox } from '@switchboard/secrets';
import { RequestsInFlight } from '../deliver/requests-in-flight.js';
import type { MarkedAttempt } from '../delivery/delivery.entity.js';
import type { OutboundApart } from '../outbound.js';
import { secretPlace, UnreadableSecret } from '../webhook/webhook-secrets.js';
import { SendRequest } from './send-request.client.js';
import { StopGrace } from './stop-grace.js';

const box = new SecretBox({ current: Buffer.alloc(32, 7), previous: null });
const to = { organizationId: newCuid(), webhookId: newCuid() };
const request = {
  attemptId: newCuid(),
  body: '{}',
  url: 'https://example.org/',
  secretSealed: box.seal(
    'whsec_c2VjcmV0',
    secretPlace(to.organizationId, to.webhookId, 'secret_sealed'),
    box.newDataKey(to.organizationId),
  ),
  previousSecretSealed: null,
  isWanted: true,
};
const attempt: MarkedAttempt = {
  delivery: {
    ...to,
    id: newCuid(),
    eventId: newCuid(),
    type: 'message.received',
    line: '',
    position: 1,
    bodyBytes: 2,
    kind: 'AUTOMATIC',
    attempts: 0,
    tries: 0,
    dueAtMs: 0,
  },
  id: request.attemptId,
  beganAtMs: 5_000,
  leaseUntilMs: 20_000,
};

const log = { info: jest.fn(), warn: jest.fn(), error: jest.fn() } satisfies Log;

afterEach(() => void jest.restoreAllMocks());

function failedEnd(error: OutboundError): OutboundEnd {
  return { state: 'failed', error, reason: '', status: null, body: null, retryAfter: null, durationMs: 1 };
}

/** Sends by a thread that answers after so long, of which the request itself took 100 ms. */
async function sentAtMs(elapsedMs: number): Promise<number | undefined> {
  let nowMs = 1_000;
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const post: OutboundHttp['post'] = () => {
    nowMs += elapsedMs;
    const seen = { status: 503, body: '', isCut: false, retryAfter: '1', durationMs: 100 };
    return Promise.resolve({ state: 'answered', ...seen });
  };
  const apart = { post } as OutboundApart;
  const sender = new SendRequest({} as OutboundHttp, apart, box, systemClock, log);
  const end = await new RequestsInFlight(sender, new StopGrace(new AbortController().signal)).send(attempt, request, {
    turnAtMs: nowMs,
    nowMs: 7_000,
    isApart: true,
  });
  expect(end).toMatchObject({ result: { durationMs: 100, retryAfterMs: 1_000 } });
  return 'sentAtMs' in end ? end.sentAtMs : undefined;
}

/** What comes of a request that ends like this. */
function resultOf(end: OutboundEnd) {
  const outbound = { post: () => Promise.resolve(end) } as unknown as OutboundHttp;
  const sender = new SendRequest(outbound, {} as OutboundApart, box, systemClock, log);
  return sender.send({ ...request, ...to, dataId: newCuid() });
}

describe('a response that does not end', () => {
  const begun = { state: 'failed', error: 'response incomplete', reason: '', body: '', durationMs: 10_000 } as const;

  it('has said for how long the receiver is to be left alone', async () => {
    for (const [status, retryAfterMs] of [
      [503, 600_000],
      [429, 600_000],
      [500, null],
    ] as const) {
      const { result } = await resultOf({ ...begun, status, retryAfter: '600' });
      expect(result).toMatchObject({ outcome: 'FAILED', error: 'response incomplete', retryAfterMs });
    }
  });
});

describe('a request whose URL leads nowhere', () => {
  it.each(['url not allowed', 'name not resolved'] as const)(
    'does not tell whether its name exists inside: %s',
    async (error) => {
      const post: OutboundHttp['post'] = () => Promise.resolve(failedEnd(error));
      const sender = new SendRequest({ post } as OutboundHttp, {} as OutboundApart, box, systemClock, log);
      const { result } = await sender.send({ ...request, ...to, dataId: newCuid() });
      expect(result.error).toBe('no allowed address');
    },
  );
});

describe('a request that is under way when the process stops', () => {
  it('ends as one that says nothing of its receiver, and one that was answered meanwhile does not', async () => {
    jest.useFakeTimers();
    const ends = [failedEnd('aborted'), failedEnd('no response')];
    const post: OutboundHttp['post'] = ({ signal }) =>
      new Promise((resolve) => signal?.addEventListener('abort', () => resolve(ends.shift() ?? failedEnd('aborted'))));
    const sender = new SendRequest({ post } as OutboundHttp, {} as OutboundApart, box, systemClock, log);
    const stopping = new AbortController();
    const requests = new RequestsInFlight(sender, new StopGrace(stopping.signal));
    const send = (id: string) =>
      requests.send({ ...attempt, id }, request, { turnAtMs: performance.now(), nowMs: 7_000, isApart: false });
    const sent = [send('first'), send('second')];
    stopping.abort();
    const ended = requests.allEnded();
    await jest.advanceTimersByTimeAsync(3_000);
    await ended;
    jest.useRealTimers();
    expect(await Promise.all(sent)).toMatchObject([
      { isStopped: true, result: { error: 'interrupted' } },
      { isStopped: false, result: { error: 'no response' } },
    ]);
  });
});

describe('a request that waits for the thread that sends it', () => {
  it('was sent that much later, so that what its receiver asks for begins with its true end', async () => {
    expect(await sentAtMs(350)).toBe(7_250);
  });

  it('was never sent before its turn, whatever its rounded duration', async () => {
    expect(await sentAtMs(99.6)).toBe(7_000);
  });
});

describe('a request that never left, for a cause of ours', () => {
  it.each([
    ['never sent', 'late', 1_000],
    ['no name server', 'no_name_server', 10_000],
  ] as const)('is no attempt, and holds its webhook: %s', async (error, cause, holdMs) => {
    const apart = { post: () => Promise.resolve(failedEnd(error)) } as unknown as OutboundApart;
    const sender = new SendRequest({} as OutboundHttp, apart, box, systemClock, log);
    const open = new RequestsInFlight(sender, new StopGrace(new AbortController().signal));
    const spec = { turnAtMs: performance.now(), nowMs: 7_000, isApart: true };
    expect(await open.send(attempt, request, spec)).toEqual({ attempt, cause, holdMs });
  });
});

describe('a former secret that does not open', () => {
  it('is as none: the current one signs alone, and one line says so for many requests', async () => {
    const headersOfSent: Readonly<Record<string, string>>[] = [];
    const post: OutboundHttp['post'] = ({ headers }) => {
      headersOfSent.push(headers);
      return Promise.resolve(failedEnd('no response'));
    };
    const sender = new SendRequest({ post } as OutboundHttp, {} as OutboundApart, box, systemClock, log);
    const previousSecretSealed = Buffer.alloc(100, 1);
    for (let n = 0; n < 3; n++) await sender.send({ ...request, ...to, previousSecretSealed, dataId: newCuid() });
    expect(headersOfSent).toHaveLength(3);
    for (const headers of headersOfSent) {
      expect(headers).toHaveProperty('x-service-signature');
      expect(headers).not.toHaveProperty('x-service-signature-previous');
    }
    expect(log.error.mock.calls).toMatchObject([['webhook.former-secret-unreadable', { name: 'UnreadableSecret' }]]);
    expect(String(log.error.mock.calls[0]?.[1])).toContain(to.webhookId);
  });

  it('helps nothing when the current one does not open either', async () => {
    const sender = new SendRequest({} as OutboundHttp, {} as OutboundApart, box, systemClock, log);
    const secretSealed = Buffer.alloc(100, 1);
    await expect(sender.send({ ...request, ...to, secretSealed, dataId: newCuid() })).rejects.toThrow(UnreadableSecret);
  });
});
