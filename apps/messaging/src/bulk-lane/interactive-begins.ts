import { Injectable } from '@nestjs/common';
import type { ChannelKey } from './lane.entity.js';

/** Attempts of interactive sends that began on a channel. */
export interface ChannelBegins extends ChannelKey {
  readonly begins: number;
}

/**
 * Counts interactive attempts as they begin, in memory: they go first and wait for no credit, and the loop over lanes
 * takes their number from the credit of the background. What is lost with a process is a fraction of a second of it.
 */
@Injectable()
export class InteractiveBegins {
  private counts = new Map<string, { organizationId: string; channelId: string; begins: number }>();

  note(channel: ChannelKey): void {
    this.add(channel, 1);
  }

  /** What was taken and could not be used. */
  putBack(taken: readonly ChannelBegins[]): void {
    for (const one of taken) this.add(one, one.begins);
  }

  /** What was counted since the last call. */
  take(): readonly ChannelBegins[] {
    const { counts } = this;
    this.counts = new Map();
    return [...counts.values()];
  }

  private add({ organizationId, channelId }: ChannelKey, begins: number): void {
    const known = this.counts.get(channelId);
    if (known) known.begins += begins;
    else this.counts.set(channelId, { organizationId, channelId, begins });
  }
}
