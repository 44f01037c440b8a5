import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@switchboard/contracts/grammar/principal';
import type { MessageTimelineView } from '@switchboard/contracts/messaging/http';
import { getTimelineRpc, type TimelineItem } from '@switchboard/contracts/messaging/timeline';
import { listMessageDeliveriesRpc } from '@switchboard/contracts/webhooks/rpc';
import { Budget, RpcClient } from '@switchboard/nats';
import { CLOCK, LOG, refusalOf, type Clock, type Log } from '@switchboard/platform';

/** The steps of a message, from every service that knows some. */
@Injectable()
export class MessageTimeline {
  constructor(
    private readonly rpc: RpcClient,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /**
   * What webhooks cannot say is named in a last step, and takes nothing from the others.
   *
   * @throws MESSAGE_NOT_FOUND; RpcUnanswered when messaging does not answer
   */
  async of(principal: Principal, id: string): Promise<MessageTimelineView> {
    const [own, deliveries] = await Promise.all([
      this.rpc.call(getTimelineRpc, principal, { id }),
      this.deliveriesOf(principal, id),
    ]);
    return { items: inOrder(own.items, deliveries) };
  }

  /** The time to wait for webhooks is short: without them the timeline is still of use. */
  private async deliveriesOf(principal: Principal, messageId: string): Promise<readonly TimelineItem[]> {
    const budget = new Budget(listMessageDeliveriesRpc.deadlineMs, this.clock);
    try {
      return (await this.rpc.call(listMessageDeliveriesRpc, principal, { messageId }, { budget })).items;
    } catch (error) {
      refusalOf(error, this.log, 'timeline.webhooks');
      const detail =
        'Deliveries to webhooks could not be read just now; the steps above are complete. Ask again later.';
      return [{ at: new Date(this.clock.now()).toISOString(), what: 'webhooks not available', detail }];
    }
  }
}

/** Merged by time; of one moment the steps of the message come first, each in the order that its service gave. */
function inOrder(own: readonly TimelineItem[], deliveries: readonly TimelineItem[]): TimelineItem[] {
  return [...own, ...deliveries].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}
