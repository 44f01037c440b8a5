import { Inject, Injectable } from '@nestjs/common';
import { PLATFORM, type Platform } from '@switchboard/platform';

/** Deliveries of a webhook that are pending again, from the position of one of the parts on. */
export interface DeliveryAgain {
  readonly webhookId: string;
  readonly floors: { readonly firsts: number } | { readonly replays: number };
}

/** Hears of webhooks that have something to deliver, and of those of them that have something of before. */
export type LaneListener = (webhookIds: readonly string[], again: readonly DeliveryAgain[]) => void;

/** Hears of an organization that one of its webhooks may take events that it did not take before. */
export type NewTakerListener = (organizationId: string) => void;

/** Of a topic that is no webhook. */
const NO_WEBHOOK = ':';
const NEW_TAKER = `taker${NO_WEBHOOK}`;
/** A topic of a delivery of before; the webhook's own goes with it. */
const AGAIN = /^(\w+):(firsts|replays):(\d+)$/;

/** Says, in this process and to the other replicas, which webhooks have something to deliver. May be lost: workers look too. */
@Injectable()
export class LaneWakeUps {
  private readonly listeners = new Set<LaneListener>();
  private readonly newTakerListeners = new Set<NewTakerListener>();

  constructor(@Inject(PLATFORM) private readonly platform: Pick<Platform, 'wakeUps'>) {}

  /** To be called after the commit. */
  send(webhookIds: readonly string[]): void {
    if (webhookIds.length === 0) return;
    for (const listener of this.listeners) listener(webhookIds, []);
    this.platform.wakeUps.send(webhookIds);
  }

  /** As `send`, of what was stored below what its webhook has had since. */
  sendAgain(again: DeliveryAgain): void {
    const { webhookId, floors } = again;
    for (const listener of this.listeners) listener([webhookId], [again]);
    const topics = Object.entries(floors).map(([part, position]) => `${webhookId}:${part}:${position}`);
    this.platform.wakeUps.send([webhookId, ...topics]);
  }

  /** A webhook of the organization was registered, changed or enabled. To be called after the commit. */
  sendNewTaker(organizationId: string): void {
    this.announceNewTaker(organizationId);
    this.platform.wakeUps.send([NEW_TAKER + organizationId]);
  }

  /** Hears this process, and the others as long as lanes are listened to. @returns ends it */
  listenNewTakers(onNewTaker: NewTakerListener): () => void {
    this.newTakerListeners.add(onNewTaker);
    return () => this.newTakerListeners.delete(onNewTaker);
  }

  /** Hears this process and the others. @returns ends it */
  listen(onWake: LaneListener): () => void {
    this.listeners.add(onWake);
    const end = this.platform.wakeUps.listen((topics) => {
      for (const topic of topics) {
        if (topic.startsWith(NEW_TAKER)) this.announceNewTaker(topic.slice(NEW_TAKER.length));
      }
      const webhookIds = topics.filter((topic) => !topic.includes(NO_WEBHOOK));
      onWake(webhookIds, topics.flatMap(againOf));
    });
    return () => {
      this.listeners.delete(onWake);
      end();
    };
  }

  private announceNewTaker(organizationId: string): void {
    for (const listener of this.newTakerListeners) listener(organizationId);
  }
}

function againOf(topic: string): DeliveryAgain[] {
  const [, webhookId, part, position] = AGAIN.exec(topic) ?? [];
  if (webhookId === undefined) return [];
  return [{ webhookId, floors: part === 'firsts' ? { firsts: Number(position) } : { replays: Number(position) } }];
}
