import type { NatsConnection } from '@nats-io/transport-node';
import { onBeat, type OnBeat } from '@switchboard/timing';
import type { LinkState } from '../link-state.js';
import { ANNOUNCE_EVERY_MS, announcementSubject, callersOf, callerToken, type Announcement } from './announcement.js';

/** Announces to a service's callers, periodically, where this process of it is reached directly. */
export class Announcer {
  private announcing: OnBeat | undefined;

  /** @param url of the process's internal HTTP server */
  constructor(
    private readonly spec: {
      readonly connection: NatsConnection;
      readonly link: LinkState;
      readonly service: string;
      readonly secret: string;
      readonly url: string;
    },
  ) {}

  start(): void {
    this.announcing = onBeat(ANNOUNCE_EVERY_MS, () => this.announce({ isStart: false }));
    this.announce({ isStart: true });
  }

  stop(): void {
    this.announcing?.stop();
  }

  private announce({ isStart }: Pick<Announcement, 'isStart'>): void {
    const { connection, link, service, secret, url } = this.spec;
    // Nothing is kept back for later: the client would send every one of them when the link is there again.
    if (link.isAway || connection.isClosed() || connection.isDraining()) return;
    for (const caller of callersOf(service).keys()) {
      const announcement: Announcement = { url, token: callerToken(secret, service, caller), isStart };
      connection.publish(announcementSubject(service, caller), JSON.stringify(announcement));
    }
  }
}
