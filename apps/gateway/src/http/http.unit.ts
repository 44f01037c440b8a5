import { describe, expect, it } from '@jest/globals';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { systemPrincipal } from '@switchboard/contracts/grammar/principal';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import { sendMessageRpc } from '@switchboard/contracts/messaging/rpc';
import { RpcUnanswered, type RpcClient, type RpcLimits } from '@switchboard/nats';
import { FakeClock } from '@switchboard/testing';
import fc from 'fast-check';
import { bearerToken } from './authentication/credentials.policy.js';
import { FailedAttempts } from './authentication/failed-attempts.js';
import { parseJsonBody } from './json-body.policy.js';
import { pathOf, RouteTable } from './route-table.js';
import { legacyLocation } from './legacy/legacy-location.policy.js';
import { SendMessage } from '../v1/messages/send-message.js';

describe('what a request shows of a key', () => {
  it.each<[string[], string | null]>([
    [['Authorization', 'Bearer svc_a'], 'svc_a'],
    [['AUTHORIZATION', 'bEaReR    svc_a'], 'svc_a'],
    [[], null],
    [['Authorization', ''], null],
    [['Authorization', 'svc_a'], null],
    [['Authorization', 'Bearersvc_a'], null],
    [['Authorization', 'Bearer svc_a svc_b'], null],
    [['Authorization', 'Bearer svc_a', 'Authorization', 'Bearer svc_a'], null],
    [['X-Authorization', 'Bearer svc_a'], null],
  ])('of %j is %p', (rawHeaders, key) => {
    expect(bearerToken(rawHeaders)).toBe(key);
  });
});

describe('answers to bad keys', () => {
  const failed = (): { clock: FakeClock; keys: FailedAttempts; pauses: number[] } => {
    const clock = new FakeClock();
    const pauses: number[] = [];
    const pause = (durationMs: number): Promise<void> => {
      pauses.push(durationMs);
      return Promise.resolve();
    };
    return { clock, pauses, keys: new FailedAttempts(clock, pause) };
  };

  it('leave at a multiple of 25 ms after the arrival, however long the look-up took', async () => {
    const { clock, keys, pauses } = failed();
    for (const tookMs of [0, 1, 24, 25, 26, 60]) {
      const arrivedMs = clock.monotonic();
      clock.advance(tookMs);
      expect((await keys.refusalFor({ address: `address ${tookMs}`, arrivedMs })).code).toBe('UNAUTHORIZED');
      expect((tookMs + (pauses.at(-1) ?? 0)) % 25).toBe(0);
      expect(tookMs + (pauses.at(-1) ?? 0)).toBeGreaterThanOrEqual(25);
    }
  });

  it('slow a flood of one network down, then turn it away in time, and leave other networks alone', async () => {
    const { clock, keys, pauses } = failed();
    const codes: string[] = [];
    const flood = (index: number): string => `2001:db8:0:1::${index.toString(16)}`;
    for (let count = 0; count < 500; count++)
      codes.push((await keys.refusalFor({ address: flood(count), arrivedMs: clock.monotonic() })).code);
    expect(codes.filter((code) => code === 'UNAUTHORIZED')).toHaveLength(100 + 500 / 50);
    expect(codes.at(-1)).toBe('RATE_LIMITED');
    expect(Math.max(...pauses)).toBe(500);
    await keys.refusalFor({ address: '2001:db8:0:2::1', arrivedMs: clock.monotonic() });
    expect(pauses.at(-1)).toBe(25);
    clock.advance(60_000);
    await keys.refusalFor({ address: flood(1), arrivedMs: clock.monotonic() });
    expect(pauses.at(-1)).toBe(25);
  });
});

describe('answers to bad passwords', () => {
  it('leave as those to bad keys do; what is no refusal of a password, and a right one, leave at once', async () => {
    const clock = new FakeClock();
    const pauses: number[] = [];
    const keys = new FailedAttempts(clock, async (durationMs) => pauses.push(durationMs));
    const attempt = { address: 'flood', arrivedMs: clock.monotonic() };
    const refused = (error: Error): Promise<unknown> =>
      keys.delayRefusal(attempt, () => Promise.reject(error)).catch((thrown: unknown) => thrown);
    const [wrong, limited, busy] = [
      new AppError(gatewayErrors.UNAUTHORIZED, 'Wrong email or password'),
      new AppError(gatewayErrors.RATE_LIMITED, undefined, { retryAfterSeconds: 600 }),
      new AppError(serviceErrors.SERVICE_UNAVAILABLE),
    ];
    for (const error of [wrong, limited, busy]) expect(await refused(error)).toBe(error);
    expect(pauses).toEqual([25, 25, 25]);
    const others = [new AppError(serviceErrors.CONFLICT), new Error('a bug')];
    for (const error of others) expect(await refused(error)).toBe(error);
    expect(await keys.delayRefusal(attempt, async () => 'right')).toBe('right');
    expect(pauses).toHaveLength(3);
    for (let count = 0; count < 500; count++) await refused(wrong);
    expect(await refused(wrong)).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 2 });
    expect(await refused(limited)).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 600 });
  });
});

describe('JSON bodies', () => {
  it('come out as JSON.parse reads them when nothing in them is refused', () => {
    const text = fc
      .string({ unit: 'grapheme' })
      .filter((one) => !one.includes('\u0000') && one !== '__proto__' && one !== 'constructor');
    const json = fc.letrec((tie) => ({
      value: fc.oneof({ depthSize: 'small' }, text, fc.integer(), fc.boolean(), fc.constant(null), tie('object')),
      object: fc.dictionary(text, tie('value'), { maxKeys: 4 }),
    }));
    fc.assert(
      fc.property(json.object, (value) => {
        const bytes = Buffer.from(JSON.stringify(value));
        expect(parseJsonBody(bytes)).toEqual(JSON.parse(bytes.toString()));
      }),
    );
  });

  it('are refused with an AppError, and nothing else, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        try {
          parseJsonBody(Buffer.from(bytes));
        } catch (error) {
          expect(error).toBeInstanceOf(AppError);
        }
      }),
    );
  });

  it('name the field that is refused, wherever it is', () => {
    const refusal = (text: string): string => {
      try {
        parseJsonBody(Buffer.from(text));
        return 'none';
      } catch (error) {
        return error instanceof Error ? error.message : 'no error';
      }
    };
    expect(refusal('{"a":[1,{"b":{"c":[["x"],["\\u0000"]]}}]}')).toBe(
      '`a[1].b.c[1][0]` must not contain the character NUL',
    );
    expect(refusal('{"a":{"\\ud800":1}}')).toBe('`a` must not contain lone surrogates');
    expect(refusal('{"\\u0000":1}')).toBe('`the body` must not contain the character NUL');
    expect(refusal('{"a":[{"__proto__":1}]}')).toBe('`__proto__` is not allowed as the name of a field');
  });

  it('may be 32 levels deep', () => {
    const deep = (levels: number): Buffer => Buffer.from(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);
    expect(() => parseJsonBody(deep(32))).not.toThrow();
    expect(() => parseJsonBody(deep(33))).toThrow('deeper than 32');
  });
});

describe('paths', () => {
  it('know their methods, parameters included, and tell nothing of others', () => {
    const table = new RouteTable();
    table.add({ method: 'POST', url: '/v1/messages' });
    table.add({ method: ['GET', 'HEAD'], url: '/v1/messages/:id' });
    expect(table.methodsOf('/v1/messages')).toEqual(['POST']);
    expect(table.methodsOf('/v1/messages/c1')).toEqual(['GET', 'HEAD']);
    expect(['/v1/messages/', '/v1', '/v1/messages/c1/x'].map((path) => table.methodsOf(path))).toEqual([[], [], []]);
    expect(['/a?b', 'http://host/a?b', '/a#b', '/a', '*'].map(pathOf)).toEqual(['/a', '/a', '/a', '/a', '*']);
  });

  it('of the old base never lead to another host, and keep their bytes', () => {
    expect(legacyLocation('/api/v1/a%2Fb?c=%20&d', '')).toBe('/v1/a%2Fb?c=%20&d');
    expect(legacyLocation('/api/v1?x', 'https://h')).toBe('https://h/v1?x');
    expect(legacyLocation('/api/v1/\u00c3\u00a9', '')).toBe('/v1/%C3%A9');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (tail) => {
        const location = legacyLocation(`/api/v1${tail}`, '');
        if (location === null) return;
        expect(new URL(location, 'https://own.test').host).toBe('own.test');
        expect(location).toMatch(/^[\x21-\x7e]+$/);
      }),
    );
  });
});

describe('sending a message', () => {
  const principal = systemPrincipal('c1', 'test');
  const content = { to: '+12015550123', text: 'a', messagingChannelId: null };
  const lost = (effect: 'none' | 'unknown'): RpcUnanswered => new RpcUnanswered(sendMessageRpc.subject, effect, null);
  const unavailable = new AppError(serviceErrors.SERVICE_UNAVAILABLE);

  /** Messaging that answers so, in order; the last one again and again. Each failure takes `tookMs`. */
  async function send(answers: readonly unknown[], tookMs = 10) {
    const clock = new FakeClock();
    const [ids, leftMs]: [string[], number[]] = [[], []];
    const call = (
      _rpc: unknown,
      _principal: unknown,
      { messageId }: { messageId: string },
      { budget }: RpcLimits,
    ): Promise<unknown> => {
      const answer = answers[Math.min(ids.length, answers.length - 1)];
      ids.push(messageId);
      leftMs.push(budget?.leftMs ?? NaN);
      if (!(answer instanceof Error)) return Promise.resolve(answer);
      clock.advance(tookMs);
      return Promise.reject(answer);
    };
    const pause = (durationMs: number): Promise<void> => Promise.resolve(clock.advance(durationMs));
    const rpc = { call } as unknown as Pick<RpcClient, 'call'>;
    const outcome = await new SendMessage(rpc, clock, pause)
      .send(principal, content)
      .then((answer) => ({ answer, error: undefined }))
      .catch((error: unknown) => ({ answer: undefined, error: error as AppError }));
    return { ...outcome, ids, leftMs, elapsedMs: clock.monotonic() };
  }

  it('repeats the request by the same id when an answer is lost, also after a retryable refusal', async () => {
    const { answer, ids } = await send([lost('unknown'), unavailable, lost('none'), { id: 'x' }]);
    expect(answer).toEqual({ id: 'x' });
    expect([ids.length, new Set(ids).size]).toEqual([4, 1]);
  });

  it('gives up after 14 s with the id of what may be stored', async () => {
    const { error, ids, elapsedMs } = await send([lost('unknown')], 300);
    expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', messageId: ids[0], retryAfterSeconds: 1 });
    expect(elapsedMs).toBeGreaterThan(12_000);
    expect(elapsedMs).toBeLessThanOrEqual(14_000);
  });

  it.each([
    ['an answer that was lost', lost('unknown')],
    ['a COMMIT that has no answer', new AppError(serviceErrors.SERVICE_UNAVAILABLE, undefined, { messageId: 'c1' })],
  ])('names the message in whatever verdict follows %s, which may have overtaken it', async (_name, doubt) => {
    const verdicts = [
      new AppError(messagingErrors.CHANNEL_NOT_FOUND, 'No channel'),
      new AppError(messagingErrors.UPSTREAM_NOT_CONNECTED),
      new AppError(messagingErrors.INVALID_PHONE),
      new AppError(messagingErrors.CONTACT_OPTED_OUT),
      new AppError(serviceErrors.PAYMENT_REQUIRED, 'Used up'),
      new AppError(serviceErrors.CONFLICT, undefined, { retryAfterSeconds: 1 }),
    ];
    for (const verdict of verdicts) {
      const { error, ids } = await send([doubt, unavailable, verdict]);
      const { code, status, message, retryAfterSeconds } = verdict;
      expect(error).toMatchObject({ code, status, message, retryAfterSeconds, messageId: ids[0] });
      expect((await send([unavailable, verdict])).error).toBe(verdict);
    }
  });

  it('asks for as long as its budget lasts whether a message is stored, and hands what is left of it to each question', async () => {
    const { error, ids, elapsedMs, leftMs } = await send([
      new AppError(serviceErrors.SERVICE_UNAVAILABLE, undefined, { messageId: 'c1' }),
      unavailable,
    ]);
    expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', messageId: ids[0] });
    expect(elapsedMs).toBeGreaterThan(12_000);
    expect(elapsedMs).toBeLessThanOrEqual(14_000);
    expect(leftMs[0]).toBe(14_000);
    expect(leftMs).toEqual([...new Set(leftMs)].sort((one, other) => other - one));
    expect(leftMs.at(-1)).toBeGreaterThanOrEqual(500);
  });

  it('says at once, and without an id, that messaging did not take it', async () => {
    const { error, ids } = await send([lost('none')]);
    expect([error?.code, error?.messageId, ids.length]).toEqual(['SERVICE_UNAVAILABLE', undefined, 1]);
  });

  it('passes a refusal on as it is, believes a third «not now», and never hides a send behind a 500', async () => {
    const refused = new AppError(gatewayErrors.FORBIDDEN);
    expect((await send([refused])).error).toBe(refused);
    const busy = await send([unavailable]);
    expect([busy.error?.code, busy.error?.messageId, busy.ids.length]).toEqual(['SERVICE_UNAVAILABLE', busy.ids[0], 3]);
    const broken = await send([new AppError(serviceErrors.INTERNAL)]);
    expect([broken.error?.code, broken.error?.messageId]).toEqual(['INTERNAL', broken.ids[0]]);
  });
});
