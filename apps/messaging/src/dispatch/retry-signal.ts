import { Injectable } from '@nestjs/common';
import { WakeSignal } from '@switchboard/timing';

/**
 * Says that this process has committed attempts that are to be made again, so that the loop over them looks at once. While
 * some are known to wait the loop looks often by itself: a wake-up for each of an outage would only add to the load.
 */
@Injectable()
export class RetrySignal extends WakeSignal {
  private isHeard = true;

  override wake(): void {
    if (this.isHeard) super.wake();
  }

  /** Before the loop looks: what commits meanwhile wakes it. After it has found some: nothing does. */
  hear(isHeard: boolean): void {
    this.isHeard = isHeard;
  }
}
