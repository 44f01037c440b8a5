import { beforeAll, describe, expect, it } from '@jest/globals';
import type { UpstreamStatusItem } from '@switchboard/contracts/gateway/events';
import { testServers } from '@switchboard/testing';
import fc from 'fast-check';
import { callbackOf, messageOf, MessagingStore, settlementOf, taken, type Sender } from '../../test/messaging-store.js';
import type { Attempt } from '../dispatch/dispatch.entity.js';
import type { UpstreamOutcome } from '../upstream/upstream.js';
import { shownTimes } from './message-progress.policy.js';

const servers = testServers();

/** Seconds since the epoch; callbacks carry times around it, before and after the send. */
const NOW_S = Math.floor(Date.now() / 1_000);
const ANSWERED_AT = new Date(NOW_S * 1_000 + 11_500);

/** One report of a message: the upstream's answer to our request, or a callback. */
type Report =
  | { readonly by: 'answer'; readonly outcome: 'taken' | 'refused' | 'unknown' | 'not-taken' }
  | {
      readonly by: 'callback';
      readonly status: 'sent' | 'delivered' | 'read' | 'failed';
      readonly atS: number;
      readonly referenced: boolean;
    };

/** A report of the first or the second message of a conversation. */
interface Step {
  readonly message: 0 | 1;
  readonly report: Report;
}

/** Two messages' steps, some twice, in an order of their own and split into transactions: each number is a length. */
interface Play {
  readonly steps: readonly Step[];
  readonly splits: readonly number[];
}

const answer = fc
  .constantFrom('taken', 'refused', 'unknown', 'not-taken')
  .map((outcome): Report => ({ by: 'answer', outcome }));
const callback = fc.record({
  by: fc.constant('callback' as const),
  status: fc.constantFrom('sent', 'delivered', 'read', 'failed'),
  atS: fc.constantFrom(NOW_S - 5, NOW_S, NOW_S + 30, NOW_S + 60),
  referenced: fc.boolean(),
});
/** The reports of one message: our answer once, callbacks of any kinds and times. */
const story = fc.tuple(answer, fc.array(callback, { maxLength: 5 })).map(([own, others]): Report[] => [own, ...others]);
const steps = fc
  .tuple(story, story)
  .map((stories) =>
    stories.flatMap((all, message) => all.map((report): Step => ({ message: message === 0 ? 0 : 1, report }))),
  );
/** The steps in any order, each once or twice, in transactions of any length. */
const playOf = (all: readonly Step[]): fc.Arbitrary<Play> =>
  fc
    .subarray([...all])
    .chain((again) => fc.shuffledSubarray([...all, ...again], { minLength: all.length + again.length }))
    .chain((shuffled) =>
      fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 }).map((splits) => ({ steps: shuffled, splits })),
    );
const plays = steps.chain((all) => fc.tuple(playOf(all), playOf(all)));

describe('reports of messages, through the database', () => {
  let store: MessagingStore;
  let sender: Sender;
  let contacts = 0;

  beforeAll(async () => {
    store = await MessagingStore.open(servers);
    sender = await store.sender(1_000);
  });

  it('end in the same rows and emit each event once, in order, whatever their order, repetition and batches', async () => {
    await fc.assert(
      fc.asyncProperty(plays, async ([one, other]) => {
        expect(await played(one, inTurn)).toEqual(await played(other, inTurn));
      }),
      { numRuns: 50 },
    );
    expect(await store.quotaFaults()).toEqual([]);
  });

  it('end in the same rows and emit each event once, in order, when all arrive at once', async () => {
    await fc.assert(
      fc.asyncProperty(plays, async ([one, other]) => {
        expect(await played(one, inTurn)).toEqual(await played(other, atOnce));
      }),
      { numRuns: 30 },
    );
    expect(await store.quotaFaults()).toEqual([]);
  });

  it('with our reference are applied before our own record of the send, and count as known', async () => {
    const attempt = await store.attempt(sender, contacts++);
    expect(await store.callbacks(callbackOf(sender, attempt, { status: 'delivered' }))).toEqual(new Set());
    expect(await store.message(attempt)).toMatchObject({ status: 'DELIVERED', sentAt: expect.any(Date) });
    const unreferenced = { status: 'read', biz_opaque_callback_data: undefined };
    expect(await store.callbacks(callbackOf(sender, attempt, unreferenced))).toEqual(new Set());
    expect(await store.message(attempt)).toMatchObject({
      status: 'READ',
      upstreamMessageId: `wamid.${attempt.messageId}`,
    });
  });

  /** Lets it happen to two new messages of one new conversation; returns what is left of it. */
  async function played(play: Play, run: (work: readonly (() => Promise<void>)[]) => Promise<void>): Promise<unknown> {
    const contact = contacts++;
    const attempts = [await store.attempt(sender, contact), await store.attempt(sender, contact)] as const;
    const waiting: Step[] = [];
    const batchOf = (batch: readonly Step[]) => async (): Promise<void> => {
      for (const { report, message } of batch) {
        if (report.by !== 'answer') continue;
        const attempt = attempts[message];
        await store.settle(settlementOf(attempt, outcomeOf(report.outcome, attempt), ANSWERED_AT));
      }
      const brought = batch.flatMap((step) => {
        const { report, message } = step;
        return report.by === 'callback'
          ? [{ step, callback: callbackOf(sender, attempts[message], itemOf(report)) }]
          : [];
      });
      const unknown = await store.callbacks(...brought.map(({ callback }) => callback));
      waiting.push(...brought.filter(({ callback }) => unknown.has(callback.eventId)).map(({ step }) => step));
    };
    await run(batches(play).map(batchOf));
    // What must wait is delivered again, as long as that helps.
    for (let before = Infinity; waiting.length < before && waiting.length > 0;) {
      before = waiting.length;
      await batchOf(waiting.splice(0))();
    }
    return {
      unmatched: [...new Set(waiting.map((step) => JSON.stringify(step)))].sort(),
      messages: await Promise.all(attempts.map(leftOf)),
    };
  }

  async function leftOf(attempt: Attempt): Promise<unknown> {
    const { status, upstreamMessageId, sentAt, attemptedAt, deliveredAt, readAt, failedAt, errorCode, conversationId } =
      await store.message(attempt);
    const all = await store.eventsOfConversation(conversationId);
    expect(all.map(({ sequence }) => sequence)).toEqual(all.map((_event, index) => index + 1));
    const own = all.filter((event) => messageOf(event)?.id === attempt.messageId);
    const emitted = own.map(({ subject }) => subject.split('.')[2]).filter((what) => what !== 'corrected');
    // Whoever keeps the newest event of a message has it as it is.
    const {
      sentAt: shownSentAt,
      deliveredAt: shownDeliveredAt,
      readAt: shownReadAt,
    } = shownTimes(await store.message(attempt));
    const newest = own.at(-1);
    expect(newest && messageOf(newest)).toMatchObject({
      status,
      sentAt: shownSentAt?.toISOString() ?? null,
      deliveredAt: shownDeliveredAt?.toISOString() ?? null,
      readAt: shownReadAt?.toISOString() ?? null,
      error: status === 'FAILED' ? { code: errorCode } : null,
    });
    expect(emitted).toEqual([...new Set(emitted)]);
    expect(['', 'failed', 'sent', 'sent,failed', 'failed,sent', ...deliveries]).toContain(emitted.slice(1).join());
    const sent = sentAt && (sentAt.getTime() === attemptedAt?.getTime() ? 'ours' : 'not ours');
    const open = (await store.dispatches(attempt)).map(({ state }) => state);
    // Evidence closes the question, whatever else is reported.
    if (status !== 'QUEUED') expect(open).toEqual([]);
    const row = {
      status,
      isKnownUpstream: upstreamMessageId !== null,
      sent,
      deliveredAt,
      readAt,
      failedAt,
      errorCode,
      open,
    };
    // A failure emitted before the delivery that disproves it cannot be taken back.
    return { row, emitted: emitted.filter((milestone) => milestone !== 'failed' || status === 'FAILED').sort() };
  }
});

const deliveries = ['sent', 'sent,failed', 'failed,sent'].flatMap((line) => [
  `${line},delivered`,
  `${line},delivered,read`,
]);

async function inTurn(work: readonly (() => Promise<void>)[]): Promise<void> {
  for (const one of work) await one();
}

async function atOnce(work: readonly (() => Promise<void>)[]): Promise<void> {
  await Promise.all(work.map((one) => one()));
}

function batches({ steps: all, splits }: Play): Step[][] {
  const left = [...all];
  const cut: Step[][] = [];
  for (let turn = 0; left.length > 0; turn++) cut.push(left.splice(0, splits[turn % splits.length]));
  return cut;
}

function itemOf(report: Extract<Report, { by: 'callback' }>): Partial<UpstreamStatusItem> & { status: string } {
  return {
    status: report.status,
    timestamp: String(report.atS),
    ...(report.status === 'failed' ? { errors: [{ code: 131049 }] } : {}),
    ...(report.referenced ? {} : { biz_opaque_callback_data: undefined }),
  };
}

function outcomeOf(outcome: Extract<Report, { by: 'answer' }>['outcome'], attempt: Attempt): UpstreamOutcome {
  switch (outcome) {
    case 'taken':
      return taken(attempt);
    case 'refused':
      return { state: 'refused', kind: 'rejected', code: '100', message: 'bad request' };
    case 'unknown':
      return { state: 'unknown', reason: 'cut' };
    case 'not-taken':
      return { state: 'not-taken', code: '130429', message: 'too many', retry: 'normal' };
  }
}
