import { setTimeout as wait } from 'node:timers/promises';
import type { ThrottledLog, StreamState } from '@switchboard/nats';
import { Publishing, StreamShrunk, type EventBroker } from './publishing.js';
import type { RelayLedger, RelayState } from './relay-ledger.js';
import type { RelayMetrics } from './relay-metrics.js';
import type { RelayReport } from './relay-report.js';

/** What a relay leads with. */
export interface RelayLeadOptions {
  readonly broker: EventBroker;
  readonly ledger: RelayLedger;
  readonly metrics: RelayMetrics;
  readonly failures: ThrottledLog;
  readonly report: (report: RelayReport) => void;
  /** Events claimed at once; 1,000 by default. */
  readonly batchMax: number | undefined;
  /** A pause while nothing is pending. */
  readonly idle: () => Promise<void>;
}

const BATCH_MAX = 1_000;
/** How often the stream and the requests of operators are read when nothing calls for it. */
const LOOK_INTERVAL_MS = 1_000;
/** A broker that does not answer this replica for so long may answer another: the lead is given away. */
const PATIENCE_MS = 5_000;
const AGAIN_MS = 250;
const MISSING_PAUSE_MAX_MS = 2_000;

/** The work of the relay that holds the lock. */
export class RelayLead {
  private publishing: Publishing | undefined;
  /** Why the stream must have been lost, whatever it looks like now. */
  private proof: StreamShrunk | undefined;
  private lookedMs = -Infinity;

  constructor(private readonly options: RelayLeadOptions) {}

  /** Publishes until the signal aborts. @throws when the database or the broker is away */
  async run(over: AbortSignal): Promise<void> {
    try {
      while (!over.aborted) {
        const publishing = await this.prepare(over);
        if (publishing) await this.round(publishing);
      }
    } finally {
      await this.endPublishing();
    }
  }

  private async round(publishing: Publishing): Promise<void> {
    const { ledger, idle, batchMax = BATCH_MAX } = this.options;
    try {
      const rows = await ledger.pending(batchMax, publishing.aside());
      if (rows.length > 0) return await publishing.run(rows);
      await publishing.mark();
    } catch (error) {
      if (!(error instanceof StreamShrunk)) throw error;
      this.proof = error;
      return;
    }
    await idle();
  }

  /** Looks at the stream when it must be, or when it is time, and makes pending what has to go (again). */
  private async prepare(over: AbortSignal): Promise<Publishing | undefined> {
    const { broker, ledger, metrics, report, failures } = this.options;
    const sinceMs = performance.now() - this.lookedMs;
    const isDue = sinceMs > LOOK_INTERVAL_MS || (sinceMs > AGAIN_MS && this.publishing?.hasFailed() === true);
    if (this.publishing && !this.proof && !broker.isDoubtful && !isDue) return this.publishing;

    const found = await this.findStream(over);
    if (!found) return undefined;
    this.lookedMs = performance.now();
    const redriven = await ledger.redrive();
    const state = await this.settle(over, found);
    if (!state) return undefined;
    if (redriven > 0) report({ kind: 'redriven', events: redriven });
    this.proof = undefined;
    if (this.publishing?.epoch !== state.epoch) {
      await this.endPublishing();
      this.publishing = new Publishing(broker, ledger, state, over, {
        published: (events) => {
          metrics.published(events);
          failures.succeeded();
        },
        failed: (error) => {
          metrics.failed(1);
          failures.failed(error);
        },
        buried: ({ id, subject }, error) => report({ kind: 'dead-letter', eventId: id, subject, error }),
      });
    }
    return this.publishing;
  }

  /** The stream as it is; waits for one that is not there. Undefined when the lead is over. */
  private async findStream(over: AbortSignal): Promise<StreamState | undefined> {
    const { broker, report, metrics } = this.options;
    let failingSinceMs: number | undefined;
    let pauseMs = AGAIN_MS;
    for (let isTold = false; !over.aborted;) {
      try {
        const found = await broker.streamState();
        if (found) return found;
        if (!isTold) report({ kind: 'stream-missing' });
        isTold = true;
        failingSinceMs = undefined;
        pauseMs = Math.min(pauseMs * 2, MISSING_PAUSE_MAX_MS);
      } catch (error) {
        metrics.failed(1);
        failingSinceMs ??= performance.now();
        if (performance.now() - failingSinceMs > PATIENCE_MS) throw error;
        pauseMs = AGAIN_MS;
      }
      await wait(pauseMs, undefined, { signal: over }).catch(() => undefined);
    }
    return undefined;
  }

  /** Compares the stream with what was recorded of it, and finishes a replay. Undefined when the lead is over. */
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
    } else if (state.created !== found.created) await ledger.rename(state, found);
    // Nothing is published before all of it is pending: what is older goes first, by position.
    let events = 0;
    const isReplay = state.replayFrom !== null;
    while (state.replayFrom !== null) {
      if (over.aborted) return undefined;
      events += await ledger.replayChunk(state.replayFrom);
      state = await ledger.state(found);
    }
    if (isReplay) report({ kind: 'replayed', events });
    return state;
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

/** Made at another time, and holding nothing from before that. */
function isAnother(state: RelayState, found: StreamState): boolean {
  return state.created !== found.created && Date.parse(found.firstAt) >= Date.parse(found.created);
}
