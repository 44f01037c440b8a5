import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@switchboard/postgres';
import { CLOCK, LOG, PollingWorker, type Clock, type Log } from '@switchboard/platform';
import { DispatchJournal } from '../dispatch/dispatch-journal.js';
import { dispatchMetrics } from '../dispatch/dispatch-metrics.js';
import { removeUnproven } from '../dispatch/orphaned-journals.js';
import { RetrySignal } from '../dispatch/retry-signal.js';
import { TakeOverAttempts } from './take-over-attempts.js';

/** A look at a folder; the database is asked only when a process has ended out of order. */
const IDLE_MS = 500;
/** Between two looks at what is too old to prove anything. */
const CLEAR_EVERY_MS = 3_600_000;

/** Sends at once what a killed process never sent, and lets go of what it may have sent. */
@Injectable()
export class TakeOverAttemptsWorker extends PollingWorker {
  private readonly takeOver: TakeOverAttempts | null;
  private clearedMs = -Infinity;

  constructor(
    database: Database,
    private readonly journal: DispatchJournal,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
    private readonly retries: RetrySignal,
  ) {
    super({ log, idleMs: IDLE_MS, failureEvent: 'dispatch.take-over-failed' });
    this.takeOver = journal.isOpen ? new TakeOverAttempts(database, journal.folder, journal.instance) : null;
  }

  protected async round(): Promise<boolean> {
    if (!this.takeOver) return false;
    const nowMs = this.clock.monotonic();
    const { released, unknown } = await this.takeOver.execute(nowMs);
    for (const { organizationId, messageId } of unknown) {
      this.log.warn('message.outcome-unknown', { organizationId, messageId });
    }
    dispatchMetrics().unknown('abandoned', unknown.length);
    if (released.length > 0) this.retries.wake();
    if (released.length > 0) this.log.warn('dispatch.taken-over', { messages: released.length });
    if (nowMs - this.clearedMs >= CLEAR_EVERY_MS) {
      // First, so that a folder that lets nothing be removed is complained of once an hour.
      this.clearedMs = nowMs;
      await removeUnproven(this.journal.folder, this.journal.instance);
    }
    return false;
  }
}
