import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { optOutObserved } from '@switchboard/contracts/messaging/events';
import { appendEvents, Relay } from '@switchboard/outbox';
import { Database, type Transaction } from '@switchboard/postgres';
import { coalesce, type Coalesced, type RunOptions } from '@switchboard/postgres/coalesce';
import { LOG, systemClock, type Log } from '@switchboard/platform';
import { forgetNotBegun, type BegunAttempt } from '../bulk-lane/attempt-begun.repository.js';
import { notePaces, type PaceNote } from '../bulk-lane/channel-pace.repository.js';
import { endWithdrawn } from '../bulk-lane/end-withdrawn.js';
import { holdLanes, type HoldTarget } from '../bulk-lane/lane.repository.js';
import { LaneSignal } from '../bulk-lane/lane-signal.js';
import { disconnectChannels } from '../channel/channel.repository.js';
import { recordProgress, type ProgressReport } from '../message/record-progress.js';
import { suppressObserved } from '../suppression/suppression.repository.js';
import type { UpstreamOutcome } from '../upstream/upstream.js';
import { announceRefusedTemplates } from './announce-refused-templates.js';
import { announceUnknown } from './announce-unknown.js';
import { dispatchMetrics } from './dispatch-metrics.js';
import type { Attempt } from './dispatch.entity.js';
import { laneConsequenceOf } from './lane-consequences.policy.js';
import { postponeDispatches, type Postponement } from './dispatch.repository.js';
import { RetrySignal } from './retry-signal.js';
import { retryDelayMs, SETTLE_DEADLINE_MS } from './retry.policy.js';

/** What came of one attempt. */
export interface Settlement {
  readonly attempt: Attempt;
  readonly outcome: UpstreamOutcome;
  /** When it was known; the record may come much later. */
  readonly knownAt: Date;
  readonly traceparent: string | null;
}

/** Records what came of attempts: message, events, dispatch row, opt-out and channel in one transaction. */
@Injectable()
export class SettleDispatch implements BeforeApplicationShutdown {
  private readonly settle: Coalesced<Settlement, void>;
  private readonly notePaces: Coalesced<PaceNote, void>;

  constructor(
    private readonly database: Database,
    private readonly relay: Relay,
    private readonly retries: RetrySignal,
    private readonly lanes: LaneSignal,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.settle = coalesce<Settlement, void>({
      name: 'messaging.settle-dispatch',
      run: (settlements, options) => this.run(settlements, options),
      // Two shares of a batch for an organization, so that its bulk sends hold up none that somebody waits for.
      tenant: ({ attempt }) => `${attempt.organizationId}${attempt.lane ? ' lane' : ''}`,
      organization: ({ attempt }) => attempt.organizationId,
      serialKey: ({ attempt }) => `${attempt.organizationId} ${attempt.channelId} ${attempt.contactId}`,
      limits: { items: 200, bytes: 1_000_000, inFlight: 2, waiting: 10_000 },
    });
    this.notePaces = coalesce<PaceNote, void>({
      name: 'messaging.note-paces',
      run: async (notes, options) => {
        await this.database.transaction((tx) => notePaces(tx, notes), { hasShortLocks: true, ...options });
        return notes.map(() => ({ ok: undefined }));
      },
      tenant: ({ organizationId }) => organizationId,
      limits: { items: 200, bytes: 1_000_000, inFlight: 1, waiting: 10_000 },
    });
  }

  /** Safe to repeat: facts that are known change nothing. */
  async execute(settlement: Settlement): Promise<void> {
    await this.settle(settlement);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.settle.drain();
    await this.notePaces.drain();
  }

  /**
   * Behind the COMMIT: a claim holds the pace of its channel and waits for conversations, which this held. In the
   * background: a pace whose row is locked holds up no record.
   */
  private async note(note: PaceNote): Promise<void> {
    try {
      await this.notePaces(note);
    } catch (error) {
      // What is recorded stays recorded: a pace is slowed by the next refusal, and a repetition found by the sweep.
      this.log.error('pace.note-failed', error, { channelId: note.channelId });
    }
    if (note.dueInMs !== null) this.lanes.wake();
  }

  /** Behind the COMMIT, and in the background: what is to be sent again of a job that was cancelled meanwhile ends. */
  private async endWithdrawn(settlements: readonly Settlement[]): Promise<void> {
    const lanes = settlements.flatMap((settlement) => {
      const { organizationId, lane } = settlement.attempt;
      return lane && isRepeated(settlement) ? [{ organizationId, jobId: lane.jobId }] : [];
    });
    if (lanes.length === 0) return;
    try {
      while (await endWithdrawn(this.database, lanes, new Date(systemClock.now())));
      this.relay.wakeLater();
    } catch (error) {
      // `CloseLanesWorker` finds what is left.
      this.log.error('lane.end-withdrawn-failed', error);
    }
  }

  private async run(settlements: readonly Settlement[], options: RunOptions): Promise<{ ok: undefined }[]> {
    await this.database.transaction((tx) => applySettlements(tx, settlements), { hasShortLocks: true, ...options });
    dispatchMetrics().unknown('unanswered', settlements.filter(({ outcome }) => outcome.state === 'unknown').length);
    if (settlements.every(({ attempt }) => attempt.lane)) this.relay.wakeLater();
    // Behind the answers of those who wait for these.
    else setImmediate(() => this.relay.wake());
    if (settlements.some(({ attempt, outcome }) => outcome.state === 'not-taken' && !attempt.lane)) this.retries.wake();
    for (const note of settlements.flatMap(paceNoteOf)) void this.note(note);
    void this.endWithdrawn(settlements);
    return settlements.map(() => ({ ok: undefined }));
  }
}

function paceNoteOf(settlement: Settlement): PaceNote[] {
  const { organizationId, channelId, lane } = settlement.attempt;
  const { isSlowed } = laneConsequenceOf(settlement.outcome);
  const repeated = lane ? postponementOf(settlement).find(isRetry) : undefined;
  return isSlowed || repeated ? [{ organizationId, channelId, isSlowed, dueInMs: repeated?.delayMs ?? null }] : [];
}

function isRepeated(settlement: Settlement): boolean {
  return postponementOf(settlement).some(isRetry);
}

function isRetry({ state }: Postponement): boolean {
  return state === 'RETRY';
}

/** The whole effect of a batch of settlements. */
export async function applySettlements(tx: Transaction, settlements: readonly Settlement[]): Promise<void> {
  await holdLanes(tx, settlements.flatMap(holdsOf));
  const optedOut = refusedAs('opted-out', settlements).map((settlement) => ({ ...settlement, eventId: newCuid() }));
  await suppressObserved(
    tx,
    optedOut.map(({ attempt, eventId }) => ({ ...attempt, eventId })),
  );
  const postponements = settlements.flatMap(postponementOf);
  await recordProgress(
    tx,
    settlements.flatMap(reportOf),
    postponements.map(({ dispatch }) => dispatch),
  );
  await announceUnknown(
    tx,
    settlements.flatMap(({ attempt, outcome }) => (attempt.lane && outcome.state === 'unknown' ? [attempt] : [])),
  );
  postponeDispatches(tx, postponements);
  forgetNotBegun(tx, settlements.flatMap(notBegunOf));
  await announceRefusedTemplates(tx, settlements);
  await disconnectChannels(
    tx,
    refusedAs('disconnected', settlements).map(({ attempt }) => attempt),
  );
  announceOptOuts(tx, optedOut);
}

function refusedAs(kind: 'opted-out' | 'disconnected', settlements: readonly Settlement[]): Settlement[] {
  return settlements.filter(({ outcome }) => outcome.state === 'refused' && outcome.kind === kind);
}

function reportOf({ attempt, outcome, knownAt, traceparent }: Settlement): ProgressReport[] {
  const report = { organizationId: attempt.organizationId, messageId: attempt.messageId, traceparent };
  if (outcome.state === 'accepted') {
    return [{ ...report, fact: { type: 'sent' }, upstreamMessageId: outcome.upstreamMessageId }];
  }
  if (outcome.state !== 'refused' || isRepeatedInLane(attempt, outcome)) return [];
  const { code, message } = outcome;
  const fact = { type: 'failed', at: knownAt, code, message, afterSending: false } as const;
  return [{ ...report, fact, upstreamMessageId: null }];
}

function postponementOf({ attempt, outcome }: Settlement): Postponement[] {
  const common = { dispatch: attempt, attempt: attempt.attempts, code: codeOf(outcome) };
  if (outcome.state === 'unknown') {
    return [{ ...common, state: 'UNKNOWN', delayMs: SETTLE_DEADLINE_MS, attempts: 1 }];
  }
  if (isRepeatedInLane(attempt, outcome)) {
    // The hold keeps it until its cause ends: then it is to go at once.
    return [{ ...common, state: 'RETRY', delayMs: retryDelayMs(attempt.attempts, 'normal'), attempts: 1 }];
  }
  if (outcome.state !== 'not-taken') return [];
  const delayMs = retryDelayMs(attempt.attempts, outcome.retry);
  return [{ ...common, state: 'RETRY', delayMs, attempts: outcome.retry === 'not-begun' ? 0 : 1 }];
}

function codeOf(outcome: UpstreamOutcome): string | null {
  return 'code' in outcome ? (outcome.code ?? null) : null;
}

function isRepeatedInLane({ lane }: Attempt, outcome: UpstreamOutcome): boolean {
  return lane !== null && laneConsequenceOf(outcome).isRepeated;
}

function holdsOf({ attempt, outcome }: Settlement): HoldTarget[] {
  const { organizationId, channelId, lane } = attempt;
  const { hold } = laneConsequenceOf(outcome);
  if (!hold || (hold.whose === 'job' && !lane)) return [];
  const jobId = hold.whose === 'job' && lane ? lane.jobId : null;
  return [{ organizationId, channelId, jobId, reason: hold.reason }];
}

function notBegunOf({ attempt, outcome }: Settlement): Omit<BegunAttempt, 'channelId'>[] {
  const { organizationId, messageId, lane } = attempt;
  if (!lane || outcome.state !== 'not-taken' || outcome.retry !== 'not-begun') return [];
  return [{ organizationId, messageId, jobId: lane.jobId, slotMs: lane.slotMs }];
}

/** The suppression stops the next send at once; the event lets the contacts service keep the opt-out's record. */
function announceOptOuts(tx: Transaction, settlements: readonly (Settlement & { readonly eventId: string })[]): void {
  appendEvents(
    tx,
    settlements.map(({ attempt, knownAt, traceparent, eventId }) => ({
      id: eventId,
      event: optOutObserved,
      organizationId: attempt.organizationId,
      aggregateId: attempt.contactId,
      sequence: null,
      occurredAt: knownAt,
      data: { contactId: attempt.contactId, messagingChannelId: attempt.channelId, source: 'UPSTREAM' as const },
      traceparent,
    })),
  );
}
