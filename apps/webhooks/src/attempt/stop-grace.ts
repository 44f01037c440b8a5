import { Inject, Injectable } from '@nestjs/common';
import { STOPPING } from '@switchboard/platform';

/** When the service stops, what is under way has so long to end by itself: less than a stop may take, by what it takes to record it. */
const GRACE_MS = 3_000;

/** The end of the time that what is under way has, once the service stops. */
@Injectable()
export class StopGrace {
  private readonly over = new AbortController();

  /** @param stopping begins the time: rpcs that are under way would keep the later hooks of a stop waiting */
  constructor(@Inject(STOPPING) stopping: AbortSignal) {
    const begin = (): void => void setTimeout(() => this.over.abort(), GRACE_MS).unref();
    if (stopping.aborted) begin();
    else stopping.addEventListener('abort', begin, { once: true });
  }

  /** Aborts 3 s after the service has begun to stop. */
  get signal(): AbortSignal {
    return this.over.signal;
  }
}
