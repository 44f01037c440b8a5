import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Relay } from '@switchboard/outbox';
import { Database, isTimedOut, LookFloor, OutcomeUnknown, sqlState } from '@switchboard/postgres';
import { WakeSignal } from '@switchboard/timing';
import { LOG, PollingWorker, STOPPING, systemClock, type Log, type RoundResult } from '@switchboard/platform';
import { nextLook, sweepPaces, takeInteractive, type LaneFloors } from '../bulk-lane/channel-pace.repository.js';
import { goOnAfterStep } from '../bulk-lane/clock-step.repository.js';
import { InteractiveBegins } from '../bulk-lane/interactive-begins.js';
import { LaneSignal, UnknownContactSignal } from '../bulk-lane/lane-signal.js';
import { DispatchJournal } from '../dispatch/dispatch-journal.js';
import { Dispatcher } from '../dispatch/dispatcher.js';
import { ReleasedLeases } from '../dispatch/released-leases.js';
import { claimLanes, type LaneAttempt, type LaneClaim } from './claim-lanes.js';
import { laneMetrics } from './lane-metrics.js';
import { releaseConnected } from './release-connected.js';

/** Attempts of lanes under way at once, those that wait for their slot included. */
const UNDERWAY_MAX = 256;
/** Of one claim; a batch as accepting has it. */
const CLAIM_MAX = 200;
const CHANNELS_MAX = 32;
/** While no lane waits: one whose process has gone is found so much later. */
const IDLE_MS = 2_000;
/** Between looks for what a crash left, and for channels that are connected again. */
const SWEEP_MS = 5_000;
/** How long a channel is left alone whose rows are locked by somebody else. */
const APART_MS = 1_000;
/** While there is no room: until one has ended, at most so long. */
const FULL_MS = 50;
/** Until a channel is looked for again that could not be had. */
const RETRY_MS = 20;

/** Begins attempts of bulk sends, at the pace of their channel and job; channels share what there is. */
@Injectable()
export class BeginBulkWorker extends PollingWorker {
  /** Of this process: channels are paced by one at a time. */
  private readonly owner = randomUUID();
  private underway = 0;
  private sweptMs = -Infinity;
  private readonly looks = new LookFloor();
  private readonly repeats = new LookFloor();
  private isActive = false;
  private channelsMax = CHANNELS_MAX;
  /** Channels that alone ran into a locked row, with the monotonic time until which they are left alone. */
  private readonly apart = new Map<string, number>();
  private readonly ended = new WakeSignal();

  constructor(
    private readonly database: Database,
    private readonly dispatcher: Dispatcher,
    private readonly journal: DispatchJournal,
    private readonly releasedLeases: ReleasedLeases,
    private readonly relay: Relay,
    private readonly begins: InteractiveBegins,
    private readonly unknownContacts: UnknownContactSignal,
    @Inject(STOPPING) private readonly stopping: AbortSignal,
    @Inject(LOG) private readonly log: Log,
    signal: LaneSignal,
  ) {
    super({ log, idleMs: IDLE_MS, signal, failureEvent: 'lane.claim-failed' });
  }

  /** Does not wait for the attempts it begins. */
  protected async round(): Promise<RoundResult> {
    if (this.stopping.aborted) return false;
    await this.sweep();
    await this.takeInteractive();
    const free = Math.min(UNDERWAY_MAX - this.underway, CLAIM_MAX);
    if (free <= 0) {
      await this.untilOneEnded();
      return true;
    }
    const nowMs = systemClock.monotonic();
    const floors = { looksFromMs: this.looks.begin(nowMs), repeatsFromMs: this.repeats.begin(nowMs) };
    if (floors.looksFromMs === -Infinity) await goOnAfterStep(this.database);
    const claim = await this.claim(free, floors);
    for (const attempt of claim.attempts) void this.attempt(attempt);
    if (claim.attempts.length > 0 || claim.skipped > 0) this.relay.wakeLater();
    if (claim.hasUnknown) this.unknownContacts.wake();
    laneMetrics().claimed(claim);
    const { inMs: nextMs, isAnyWaiting, ...found } = await nextLook(this.database, this.owner, floors);
    this.looks.move(found.looksFromMs, floors.looksFromMs);
    this.repeats.move(found.repeatsFromMs, floors.repeatsFromMs);
    this.isActive = isAnyWaiting;
    if (nextMs === null) return false;
    // Full: the channel has slots left that this claim could not hold.
    if (claim.attempts.length >= free) return true;
    // What another process holds at this moment is looked for a little later.
    return Math.max(Math.ceil(nextMs), claim.channels === 0 ? RETRY_MS : 1);
  }

  /** A channel whose row is locked meanwhile holds up no claim: its begins are taken with the next. */
  private async takeInteractive(): Promise<void> {
    const begins = this.begins.take();
    // Without a lane no credit is kept that could be taken from.
    if (!this.isActive || begins.length === 0) return;
    try {
      await this.database.transaction(async (tx) => takeInteractive(tx, begins), { hasShortLocks: true });
    } catch (error) {
      if (!isTimedOut(error)) throw error;
      this.begins.putBack(begins);
      this.log.warn('lane.credit-delayed', { channels: begins.length });
    }
  }

  /** Behind a timeout of a lock every channel is claimed for by itself, so that one does not hold up the others. */
  private async claim(attemptsMax: number, floors: LaneFloors): Promise<LaneClaim> {
    const lease = this.journal.newLease();
    const startedMs = systemClock.monotonic();
    for (const [channelId, untilMs] of this.apart) if (untilMs < startedMs) this.apart.delete(channelId);
    let claimedFor: readonly string[] = [];
    const onLocked = (channelIds: readonly string[]): void => void (claimedFor = channelIds);
    const without = [...this.apart.keys()];
    try {
      const { owner, channelsMax } = this;
      const spec = { owner, lease, channelsMax, attemptsMax, without, floors, onLocked };
      const claim = await this.database.transaction((tx) => claimLanes(tx, spec), { hasShortLocks: true });
      this.channelsMax = Math.min(this.channelsMax * 2, CHANNELS_MAX);
      laneMetrics().claimEnded(systemClock.monotonic() - startedMs);
      return claim;
    } catch (error) {
      if (error instanceof OutcomeUnknown || sqlState(error) === null) this.releasedLeases.giveBack(lease);
      const [only, another] = claimedFor;
      if (only && !another) this.apart.set(only, startedMs + APART_MS);
      this.channelsMax = 1;
      throw error;
    }
  }

  /** Never rejects: what is not recorded now is recorded later. */
  private async attempt(attempt: LaneAttempt): Promise<void> {
    const { organizationId, messageId, attempts, refusal, lane } = attempt;
    this.underway++;
    try {
      if (refusal) return await this.dispatcher.refuse(attempt, refusal);
      const { state } = await this.dispatcher.attemptInLane(attempt, lane);
      laneMetrics().attempted(state);
      this.log.info('message.attempted', { organizationId, messageId, jobId: lane.jobId, attempts, outcome: state });
    } catch (error) {
      this.log.error('lane.attempt-failed', error, { organizationId, messageId });
    } finally {
      this.underway--;
      this.ended.wake();
    }
  }

  private async sweep(): Promise<void> {
    const nowMs = systemClock.monotonic();
    if (nowMs - this.sweptMs < SWEEP_MS) return;
    this.sweptMs = nowMs;
    await releaseConnected(this.database);
    await sweepPaces(this.database, this.repeats.ms);
  }

  private async untilOneEnded(): Promise<void> {
    this.ended.clear();
    await this.ended.pause(FULL_MS, this.stopping);
  }
}
