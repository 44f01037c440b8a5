import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@switchboard/postgres';
import { LOG, PollingWorker, systemClock, type Log } from '@switchboard/platform';
import { endWithdrawn } from '../bulk-lane/end-withdrawn.js';
import { closeFinished, pruneClosed } from './close-lanes.js';

const IDLE_MS = 60_000;

/** Ends what cancelled jobs left to be sent again, closes the lanes of finished jobs, and deletes days later what they leave. */
@Injectable()
export class CloseLanesWorker extends PollingWorker {
  constructor(
    private readonly database: Database,
    @Inject(LOG) log: Log,
  ) {
    super({ log, idleMs: IDLE_MS, failureEvent: 'lane.close-failed' });
  }

  protected async round(): Promise<boolean> {
    const hasWithdrawn = await endWithdrawn(this.database, null, new Date(systemClock.now()));
    const hasFinished = await closeFinished(this.database);
    return (await pruneClosed(this.database)) || hasWithdrawn || hasFinished;
  }
}
