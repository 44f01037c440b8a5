import { describe, expect, it } from '@jest/globals';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { systemPrincipal } from '@switchboard/contracts/grammar/principal';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import { sendMessageRpc } from '@switchboard/contracts/messaging/rpc';
import { RpcUnanswered, type RpcClient, type RpcLimits } from '@switchboard/nats';
import { FakeClock } from '@switchboard/testing/fake-clock';
import { SendMessage } from './send-message.js';

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
