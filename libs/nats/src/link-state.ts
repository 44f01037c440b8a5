import type { NatsConnection } from '@nats-io/transport-node';

/** Whether the link to NATS stands, as far as this process knows: a half-open one is noticed within 6 s. */
export class LinkState {
  private hasGone = false;
  private readonly waiting = new Set<() => void>();

  constructor(connection: Pick<NatsConnection, 'status'>) {
    void this.watch(connection);
  }

  get isAway(): boolean {
    return this.hasGone;
  }

  /**
   * Has `onAway` called once when the link goes, at once if it has gone.
   *
   * @returns takes the call back
   */
  whenAway(onAway: () => void): () => void {
    if (this.isAway) onAway();
    else this.waiting.add(onAway);
    return () => void this.waiting.delete(onAway);
  }

  private async watch(connection: Pick<NatsConnection, 'status'>): Promise<void> {
    for await (const { type } of connection.status()) {
      if (type === 'reconnect') this.hasGone = false;
      if (type === 'disconnect' || type === 'staleConnection' || type === 'close') this.go();
    }
    this.go();
  }

  private go(): void {
    this.hasGone = true;
    for (const onAway of this.waiting) onAway();
    this.waiting.clear();
  }
}
