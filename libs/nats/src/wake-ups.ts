import type { NatsConnection } from '@nats-io/transport-node';
import type { LinkState } from './link-state.js';

/** At most one message in so long; the last wake-up of a burst is never left out. */
const INTERVAL_MS = 5;

/** Subject on which a service wakes its own replicas, or those of another one; nothing else may use it. */
export function wakeSubject(service: string, woken: string = service): string {
  return woken === service ? `wake.${service}` : `wake.${service}.${woken}`;
}

/** More topics in one message are left out: whoever listens polls as well. */
const TOPICS_MAX = 10_000;

/**
 * Wake-ups of the replicas of a service, which may be lost: whoever listens polls as well. Within a service, without topics
 * they are the outbox's; topics name what else there is work for.
 */
export class WakeUps {
  private timer: NodeJS.Timeout | undefined;
  private isWanted = false;
  private isPlainWanted = false;
  private readonly topics = new Set<string>();
  private readonly subject: string;

  /** @param woken whose replicas listen: the service's own, or those of one that its topology names in `wakes` */
  constructor(
    private readonly connection: NatsConnection,
    private readonly link: Pick<LinkState, 'isAway'>,
    service: string,
    woken: string = service,
  ) {
    this.subject = wakeSubject(service, woken);
  }

  /** Wakes whoever listens, soon. @param topics without commas */
  send(topics: readonly string[] = []): void {
    if (topics.length === 0) this.isPlainWanted = true;
    for (const topic of topics) if (this.topics.size < TOPICS_MAX) this.topics.add(topic);
    if (this.timer) this.isWanted = true;
    else this.publish();
  }

  /** @returns ends it */
  listen(onWake: (topics: readonly string[]) => void): () => void {
    const subscription = this.connection.subscribe(this.subject, {
      callback: (error, message) => onWake(error || message.data.length === 0 ? [] : message.string().split(',')),
    });
    return () => subscription.unsubscribe();
  }

  private publish(): void {
    this.isWanted = false;
    // Nothing is kept back for later: the client would send every one of them when the link is there again.
    const isThere = !this.link.isAway && !this.connection.isClosed() && !this.connection.isDraining();
    if (isThere && this.isPlainWanted) this.connection.publish(this.subject);
    if (isThere && this.topics.size > 0) this.connection.publish(this.subject, [...this.topics].join(','));
    this.isPlainWanted = false;
    this.topics.clear();
    if (!isThere) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      if (this.isWanted) this.publish();
    }, INTERVAL_MS).unref();
  }
}
