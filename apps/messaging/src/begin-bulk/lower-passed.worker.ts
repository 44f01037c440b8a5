import { Inject, Injectable } from '@nestjs/common';
import { Database, isTimedOut } from '@switchboard/postgres';
import { LOG, PollingWorker, type Log } from '@switchboard/platform';
import { lowerPassed } from '../bulk-lane/channel-pace.repository.js';

const IDLE_MS = 60_000;

/** Finds recipients that the bound of their lane passes by. Apart from the claims, which a look that takes long must not hold up. */
@Injectable()
export class LowerPassedWorker extends PollingWorker {
  constructor(
    private readonly database: Database,
    @Inject(LOG) private readonly log: Log,
  ) {
    super({ log, idleMs: IDLE_MS, failureEvent: 'lane.bounds-failed' });
  }

  protected async round(): Promise<boolean> {
    try {
      await lowerPassed(this.database);
    } catch (error) {
      if (!isTimedOut(error)) throw error;
      // Behind an old snapshot; its alert names that.
      this.log.warn('lane.bounds-delayed');
    }
    return false;
  }
}
