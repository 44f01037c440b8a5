import { Inject, Injectable } from '@nestjs/common';
import { Relay } from '@switchboard/outbox';
import { CLOCK, LOG, PollingWorker, type Clock, type Log } from '@switchboard/platform';
import { Database } from '@switchboard/postgres';
import { TouchedJobs } from '../job/touched-jobs.js';
import { completeButActive, completeJob } from './complete-jobs.js';

const IDLE_MS = 10_000;
/** Jobs that a look at all finds at once. */
const LOOK_MAX = 100;

/** Completes jobs whose last recipient has left QUEUED. */
@Injectable()
export class CompleteJobsWorker extends PollingWorker {
  private lookedMs = -Infinity;

  constructor(
    private readonly database: Database,
    private readonly touched: TouchedJobs,
    @Inject(Relay) private readonly relay: Pick<Relay, 'wake'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {
    super({ log, idleMs: IDLE_MS, signal: touched.signal, failureEvent: 'job.complete-failed' });
  }

  /** What was touched here, and every so often whatever was left by a replica that died. */
  protected async round(): Promise<boolean> {
    const touched = this.touched.take();
    const isDue = this.clock.monotonic() - this.lookedMs >= IDLE_MS;
    if (isDue) this.lookedMs = this.clock.monotonic();
    const left = isDue ? await completeButActive(this.database, LOOK_MAX) : [];
    for (const job of [...touched, ...left]) {
      if (!(await completeJob(this.database, job))) continue;
      this.relay.wake();
      this.log.info('job.completed', { ...job });
    }
    return left.length === LOOK_MAX;
  }
}
