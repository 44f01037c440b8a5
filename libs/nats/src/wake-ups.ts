import type { NatsConnection } from '@nats-io/transport-node';
import type { LinkState } from './link-state.js';

/** At most one message in so long; the last wake-up of a burst is never left out. */
const INTERVAL_MS = 5;

/** Subject on which the replicas of a service wake each other; no other service may use it. */
export function wakeSubject(service: string): string {
  return `wake.${service}`;
}

/**
 * Wake-ups between the replicas of a service: a message without content, which may be lost. Whoever listens polls as well.
 */
export class WakeUps {
  private timer: NodeJS.Timeout | undefined;
  private isWanted = false;

  constructor(
    private readonly connection: NatsConnection,
    private readonly link: Pick<LinkState, 'isAway'>,
    private readonly service: string,
  ) {}

  /** Wakes whoever listens, soon. */
  send(): void {
    if (this.timer) this.isWanted = true;
    else this.publish();
  }

  /** @returns ends it */
  listen(onWake: () => void): () => void {
    const subscription = this.connection.subscribe(wakeSubject(this.service), { callback: onWake });
    return () => subscription.unsubscribe();
  }

  private publish(): void {
    this.isWanted = false;
    // Nothing is kept back for later: the client would send every one of them when the link is there again.
    if (this.link.isAway || this.connection.isClosed() || this.connection.isDraining()) return;
    this.connection.publish(wakeSubject(this.service));
    this.timer = setTimeout(() => {
      this.timer = undefined;
      if (this.isWanted) this.publish();
    }, INTERVAL_MS).unref();
  }
}
