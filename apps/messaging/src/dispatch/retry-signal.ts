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

  /** Before the loop looks: what commits meanwhile wakes it. */
  hear(): void {
    this.isHeard = true;
  }

  /** After it has found some: nothing wakes it until it looks again. */
  ignore(): void {
    this.isHeard = false;
  }
}
