import { Inject, Injectable } from '@nestjs/common';
import { WakeUps } from '@switchboard/nats';
import { PLATFORM, type Platform } from '@switchboard/platform';

/** Wakes the gateways that stream the feed of events to browsers. May be lost: they look too. */
@Injectable()
export class FeedWakeUps {
  private readonly wakeUps: WakeUps;

  constructor(@Inject(PLATFORM) { nats, link }: Pick<Platform, 'nats' | 'link'>) {
    this.wakeUps = new WakeUps(nats, link, 'webhooks', 'gateway');
  }

  /** To be called after the commit. @param organizationIds whose feed has grown */
  send(organizationIds: readonly string[]): void {
    if (organizationIds.length > 0) this.wakeUps.send(organizationIds);
  }
}
