import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ContactFacts } from '@switchboard/contracts/contacts/rpc';
import { systemPrincipal } from '@switchboard/contracts/grammar/principal';
import { Budget, type RpcClient, type RpcLimits } from '@switchboard/nats';
import type { Log } from '@switchboard/platform';
import type { ChannelRepository } from '../channel/channel.repository.js';
import type { LearnContact } from '../contact/learn-contact.batch.js';
import type { Attempt } from '../dispatch/dispatch.entity.js';
import type { DispatchJournal } from '../dispatch/dispatch-journal.js';
import type { Dispatcher } from '../dispatch/dispatcher.js';
import type { UpstreamOutcome } from '../upstream/upstream.js';
import type { AcceptMessage, AcceptResult } from './accept-message.batch.js';
import type { IdempotentReplay } from './idempotent-replay.js';
import { SendMessage } from './send-message.js';

const log: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const request = { messageId: 'c0123456789abcdefghijklmn', to: '+14155550123', text: 'hello', messagingChannelId: null };
const attempt = { messageId: request.messageId, contactId: 'ccontact', channelId: 'cchannel' } as Attempt;
const accepted: AcceptResult = { verdict: 'accepted', conversationId: 'cconversation', attempt, waits: false };

describe('a send with a budget', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('has its contact resolved within what is left of it, and its batch dropped at its end', async () => {
    const budget = new Budget(8_000);
    const { send, signals, limits } = sendMessageOf(async () => {
      if (limits.length > 0) return accepted;
      jest.advanceTimersByTime(3_000);
      return { verdict: 'contact-unknown' };
    });
    const sent = send(budget);
    await jest.advanceTimersByTimeAsync(8_000);
    expect(await sent).toMatchObject({ id: request.messageId, upstreamMessageId: null });
    expect(limits).toEqual([{ budget, leftMs: 5_000 }]);
    expect(signals).toEqual([budget.signal, budget.signal]);
  });

  it('is refused for now while its contact stays unknown: the owner of the budget repeats it', async () => {
    const { send, signals, limits } = sendMessageOf(async () => ({ verdict: 'contact-unknown' }));
    const refused = send(new Budget(8_000));
    await expect(refused).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', messageId: undefined });
    expect([signals.length, limits.length]).toEqual([4, 3]);
  });

  it.each([
    ['5 s, when the budget is longer', 8_000, 5_000],
    ['what is left of it but the time to record and answer', 3_000, 2_500],
  ])('waits for a slow upstream %s', async (_name, budgetMs, waitedMs) => {
    const { send } = sendMessageOf(async () => accepted);
    let answer: unknown;
    void send(new Budget(budgetMs)).then((sent) => (answer = sent));
    await jest.advanceTimersByTimeAsync(waitedMs - 1);
    expect(answer).toBeUndefined();
    await jest.advanceTimersByTimeAsync(1);
    expect(answer).toMatchObject({ id: request.messageId, upstreamMessageId: null });
  });

  it('does not wait for the upstream when nothing is left of it', async () => {
    const { send } = sendMessageOf(async () => accepted);
    const sent = send(new Budget(400));
    await jest.advanceTimersByTimeAsync(1);
    expect(await sent).toMatchObject({ id: request.messageId, upstreamMessageId: null });
  });
});

/** The use case over an accept of the test's own, and an upstream that never answers. */
function sendMessageOf(execute: () => Promise<AcceptResult>) {
  const signals: AbortSignal[] = [];
  const limits: unknown[] = [];
  const accept = {
    execute: (_item, signal) => {
      signals.push(signal);
      return execute();
    },
  } as Partial<AcceptMessage> as AcceptMessage;
  const dispatcher = { attemptFirst: () => new Promise<UpstreamOutcome>(() => undefined) } as Partial<Dispatcher>;
  const call = async (_rpc: unknown, _principal: unknown, _request: unknown, { budget }: RpcLimits) => {
    limits.push({ budget, leftMs: budget?.leftMs });
    return { contacts: new Array<ContactFacts>() };
  };
  const learn = { execute: async () => undefined } as Partial<LearnContact> as LearnContact;
  const unused = {} as ChannelRepository & IdempotentReplay;
  const useCase = new SendMessage(
    accept,
    dispatcher as Dispatcher,
    { newLease: () => 'lease' } as DispatchJournal,
    unused,
    learn,
    { call } as unknown as RpcClient,
    unused,
    new AbortController().signal,
    log,
  );
  const send = (budget: Budget) => useCase.execute(systemPrincipal('c1', 'test'), request, budget);
  return { send, signals, limits };
}
