import type { ThrottledLog, StreamState } from '@switchboard/nats';
import { backoffMs, BurstPace, jittered, pause, untilBeat, type WakeSignal } from '@switchboard/timing';
import { HistoryReplay, type HistoryPace } from './history-replay.js';
import { PublishedFloor } from './published-floor.policy.js';
import { Publishing, StreamShrunk, type EventBroker, type PublishingReports } from './publishing.js';
import type { RelayLedger, RelayState } from './relay-ledger.js';
import type { RelayMetrics } from './relay-metrics.js';
import type { RelayReport } from './relay-report.js';
import type { RelayLook } from './relay-turn.js';
import { isAnother, noticeRestore } from './restore-witness.js';

/** What a relay leads with. */
export interface RelayLeadOptions {
  readonly broker: EventBroker;
  readonly ledger: RelayLedger;
  readonly metrics: RelayMetrics;
  readonly failures: ThrottledLog;
  readonly report: (report: RelayReport) => void;
  /** Events claimed at once; 1,000 by default. */
  readonly batchMax: number | undefined;
  /** 2 s by default. */
  readonly pollIntervalMs: number | undefined;
  /** As `HistoryReplay` has it by default. */
  readonly historyPace: HistoryPace | undefined;
  /** Says that events may have been committed since the last turn began. */
  readonly signal: WakeSignal;
}

const BATCH_MAX = 1_000;
/** The net below the wake-ups: an event whose wake-up was lost leaves so much later. Marks wait for it when it is quiet. */
const POLL_INTERVAL_MS = 2_000;
/** Between the begins of two turns in the long run: commits that follow one another closely share one. */
const GATHER_MS = 15;
/** Turns that may follow one another at once after a quiet time: a commit holds up none that comes right behind it. */
const TURNS_AT_ONCE = 3;
/** The floor follows after so many events, or so long. */
const LOOK_EVENTS = 1_000;
const LOOK_INTERVAL_MS = 1_000;
/** How often the stream is looked at, while there is work, when nothing calls for it. */
const CHECK_INTERVAL_MS = 1_000;
/** A broker that does not answer this replica for so long may answer another: the lead is given away. */
const PATIENCE_MS = 5_000;
const AGAIN_MS = 250;
const MISSING_BACKOFF = { firstMs: 500, maxMs: 2_000 };

/** The work of the relay that holds the lock. */
export class RelayLead {
  private publishing: Publishing | undefined;
  /** Why the stream must have been lost, whatever it looks like now. */
  private proof: StreamShrunk | undefined;
  /** When the stream was compared with the record of it. */
  private checkedMs = -Infinity;
  private floor = new PublishedFloor();
  private readonly pace = new BurstPace(GATHER_MS, TURNS_AT_ONCE);
  /** Published events are being made pending again; the floor stays below them. */
  private history: HistoryReplay | undefined;
  /** The last turn has read as much as it may. */
  private isFull = false;
  private lookedMs = -Infinity;
  private eventsSinceLook = 0;
  /** The pause has run out: what is marked and read rarely goes with the next turn. */
  private isPollDue = true;
  /** The record of the stream, or what an operator wants, is not what it was. */
  private isChanged = false;
  /** When letters are tried again of which none could be had: another session has them locked. */
  private lettersFromMs = -Infinity;

  constructor(private readonly options: RelayLeadOptions) {}

  /** Publishes until the signal aborts. @throws when the database or the broker is away */
  async run(over: AbortSignal): Promise<void> {
    try {
      while (!over.aborted) {
        const publishing = await this.prepare(over);
        if (publishing) await this.round(publishing, over);
      }
    } finally {
      await this.endPublishing();
    }
  }

  private async round(publishing: Publishing, over: AbortSignal): Promise<void> {
    const { signal, batchMax = BATCH_MAX, pollIntervalMs = POLL_INTERVAL_MS } = this.options;
    const begunMs = performance.now();
    this.pace.begin(begunMs);
    try {
      // Behind a full turn new events wait: the past waits for them then.
      if (!this.isFull && this.history?.restMs === 0) await this.goBack(this.history.step());
      const events = await this.turn(publishing, batchMax);
      this.isFull = events === batchMax;
      publishing.check();
      if (this.isFull || this.isChanged) return;
    } catch (error) {
      if (!(error instanceof StreamShrunk)) throw error;
      this.proof = error;
      return;
    }
    const stepMs = this.history?.restMs ?? Infinity;
    const restMs = Math.min(untilBeat(pollIntervalMs), publishing.untilNextTryMs(begunMs), stepMs);
    this.isPollDue = !(await signal.pause(restMs, over));
    const gatherMs = this.pace.readyMs - performance.now();
    if (gatherMs > 0) await pause(gatherMs, over);
  }

  /** Marks what is stored, reads what waits and publishes it. @returns how many events it has read */
  private async turn(publishing: Publishing, max: number): Promise<number> {
    const { ledger, signal } = this.options;
    const marks = publishing.marks(this.isPollDue ? 'all' : 'when due');
    const isLook = this.isPollDue || this.isLookDue(publishing);
    this.isPollDue = false;
    // What commits from here on is not seen by this read, and its wake-up ends the next pause.
    signal.clear();
    const result = await ledger.turn({ ...marks, aside: publishing.aside(), max, floor: this.floor.position, isLook });
    if (!result) throw new StreamShrunk('another relay has found that the stream was lost');
    publishing.marked(marks);
    if (result.look !== undefined) this.observe(result.look, publishing);
    this.eventsSinceLook += result.rows.length;
    if (result.rows.length > 0) await publishing.run(result.rows);
    return result.rows.length;
  }

  /** The floor follows what is read: at once after many events, or after a while. */
  private isLookDue(publishing: Publishing): boolean {
    if (this.history || publishing.highestPosition <= this.floor.position) return false;
    return this.eventsSinceLook >= LOOK_EVENTS || performance.now() - this.lookedMs >= LOOK_INTERVAL_MS;
  }

  private observe(look: RelayLook | null, publishing: Publishing): void {
    this.lookedMs = performance.now();
    this.eventsSinceLook = 0;
    const isReplay = this.history !== undefined;
    const mayRedrive = look?.hasLetters === true && this.lookedMs >= this.lettersFromMs;
    if (look && look.epoch === publishing.epoch && !mayRedrive && look.isReplay === isReplay) {
      publishing.heard(look.lastSequence);
      if (!isReplay) this.floor.observe(look, publishing.highestPosition);
    } else this.isChanged = true;
  }

  /** Looks at the stream when it must be, or when it is time; reads the record of it where that may have changed. */
  private async prepare(over: AbortSignal): Promise<Publishing | undefined> {
    const { publishing, options } = this;
    const isSure = publishing !== undefined && !this.proof && !this.isChanged && !options.broker.isDoubtful;
    const sinceMs = performance.now() - this.checkedMs;
    const isDue = sinceMs > CHECK_INTERVAL_MS || (sinceMs > AGAIN_MS && publishing?.hasFailed() === true);
    if (isSure && !isDue) return publishing;

    const expected = publishing?.expected;
    const found = await this.findStream(over);
    if (!found) return undefined;
    this.checkedMs = performance.now();
    const isExpected = found.created === expected?.created && found.lastSequence >= expected.lastSequence;
    const next = isSure && isExpected ? publishing : await this.begin(over, found);
    next?.beginsAt(found.firstSequence);
    return next;
  }

  /** Makes pending what has to go (again), and begins to publish to the stream as it is. */
  private async begin(over: AbortSignal, found: StreamState): Promise<Publishing | undefined> {
    const { ledger, report } = this.options;
    const redriven = await ledger.redrive();
    this.lettersFromMs = redriven > 0 ? -Infinity : performance.now() + CHECK_INTERVAL_MS;
    const state = await this.settle(over, found);
    if (!state) return undefined;
    if (redriven > 0) report({ kind: 'redriven', events: redriven });
    this.proof = undefined;
    this.isChanged = false;
    this.isPollDue = true;
    if (this.publishing?.epoch === state.epoch) this.publishing.continueWith(state);
    else {
      await this.endPublishing();
      this.floor = new PublishedFloor();
      this.publishing = new Publishing(this.options.broker, ledger, state, over, this.reports());
    }
    return this.publishing;
  }

  private reports(): PublishingReports {
    const { metrics, failures, report, signal } = this.options;
    return {
      published: (events) => {
        metrics.published(events);
        failures.succeeded();
      },
      failed: (error) => {
        metrics.failed(1);
        failures.failed(error);
      },
      buried: ({ id, subject }, error) => report({ kind: 'dead-letter', eventId: id, subject, error }),
      freed: () => signal.wake(),
    };
  }

  /** The stream as it is; waits for one that is not there. Undefined when the lead is over. */
  private async findStream(over: AbortSignal): Promise<StreamState | undefined> {
    const { broker, report, metrics } = this.options;
    let failingSinceMs: number | undefined;
    let misses = 0;
    for (let isReported = false; !over.aborted;) {
      try {
        const found = await broker.streamState();
        if (found) return found;
        if (!isReported) report({ kind: 'stream-missing' });
        isReported = true;
        failingSinceMs = undefined;
        misses++;
      } catch (error) {
        metrics.failed(1);
        failingSinceMs ??= performance.now();
        if (performance.now() - failingSinceMs > PATIENCE_MS) throw error;
        misses = 0;
      }
      await pause(misses > 0 ? backoffMs(misses, MISSING_BACKOFF) : jittered(AGAIN_MS), over);
    }
    return undefined;
  }

  /** Compares the stream with what was recorded of it, and begins a replay. Undefined when the lead is over. */
  private async settle(over: AbortSignal, first: StreamState): Promise<RelayState | undefined> {
    const { ledger, metrics, report } = this.options;
    let state = await ledger.state(first);
    // Another relay may have got more acknowledgements, and recorded them, since the stream was asked: only what is found after the
    // record was read can be less than the record.
    const found = this.lossOf(state, first) === undefined ? first : await this.findStream(over);
    if (!found) return undefined;
    const why = this.lossOf(state, found);
    if (why) {
      report({ kind: 'stream-lost', recorded: state, found, why });
      metrics.streamLost();
      await ledger.lose(state, found);
      state = await ledger.state(found);
    } else {
      if (state.created !== found.created) await ledger.rename(state, found);
      // Only a lead that begins asks: the broker's answers are known to the one that goes on.
      if (!this.publishing && (await noticeRestore(this.options, state, first))) state = await ledger.state(first);
    }
    await this.settleHistory(state);
    return state;
  }

  /** A replay that this relay has under way goes on; another one begins, with what is pending by it below any floor. */
  private async settleHistory(state: RelayState): Promise<void> {
    const { ledger, historyPace } = this.options;
    if (state.replayFrom !== null && this.history?.isAt(state.replayFrom)) return;
    this.history = undefined;
    if (state.replayFrom === null) return;
    this.floor = new PublishedFloor();
    this.history = new HistoryReplay(ledger, state.replayFrom, historyPace);
    await this.goBack(this.history.begin(state));
  }

  /** After a step of the replay: its end is reported, and the floor rises again from below what is pending by it. */
  private async goBack(step: Promise<number | null>): Promise<void> {
    const events = await step;
    if (events === null) return;
    this.history = undefined;
    this.floor = new PublishedFloor();
    this.options.report({ kind: 'replayed', events });
  }

  private lossOf(state: RelayState, found: StreamState): string | undefined {
    if (isAnother(state, found)) return 'it is another stream';
    if (found.lastSequence < state.lastSequence) return 'it ends before what it had acknowledged';
    // Unless another relay has recorded that loss already.
    return this.publishing?.epoch === state.epoch ? this.proof?.message : undefined;
  }

  private async endPublishing(): Promise<void> {
    const { publishing } = this;
    this.publishing = undefined;
    // What is not marked is published again; whatever ends the lead reports why.
    await publishing?.end().catch(() => undefined);
  }
}
