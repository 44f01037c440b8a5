import { Inject, Injectable } from '@nestjs/common';
import { LOG, PollingWorker, type Log } from '@switchboard/platform';
import { LaneOrders } from '../lane/lane-orders.js';

/** Jobs of one round. */
const ROUND_MAX = 16;
const IDLE_MS = 2_000;

/** Gives lanes the actions that were not given when they were decided: messaging was away, or a replica died. */
@Injectable()
export class SendLaneOrdersWorker extends PollingWorker {
  constructor(
    private readonly orders: LaneOrders,
    @Inject(LOG) log: Log,
  ) {
    super({ log, idleMs: IDLE_MS, failureEvent: 'lane-order.send-failed' });
  }

  protected async round(): Promise<boolean> {
    return (await this.orders.runDue(ROUND_MAX)) === ROUND_MAX;
  }
}
