import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { Database } from '@switchboard/postgres';
import { coalesce, type Coalesced } from '@switchboard/postgres/coalesce';
import { wakeChannels, type WokenLane } from './channel-pace.repository.js';
import type { ChannelKey } from './lane.entity.js';
import { LaneSignal } from './lane-signal.js';

interface ChannelWake extends ChannelKey {
  readonly lane: WokenLane | null;
}

const WAKE_BYTES = 128;

/**
 * Has channels looked at: there is something to begin. Behind the COMMIT of that, and not in its transaction, so that a claim under
 * way, which holds the channel's pace, is not waited for with locks in hand; what a crash in between leaves is found by the sweep.
 *
 * However many wait for that claim, they hold one connection a channel: what comes meanwhile goes together when it is over.
 */
@Injectable()
export class ChannelWakes implements BeforeApplicationShutdown {
  private readonly wake: Coalesced<ChannelWake, null>;

  constructor(
    database: Database,
    private readonly signal: LaneSignal,
  ) {
    this.wake = coalesce<ChannelWake, null>({
      name: 'messaging.wake-channel',
      run: async (wakes, options) => {
        const lanes = wakes.flatMap(({ lane }) => lane ?? []);
        await database.transaction((tx) => wakeChannels(tx, wakes, lanes), { hasShortLocks: true, ...options });
        return wakes.map(() => ({ ok: null }));
      },
      tenant: ({ organizationId }) => organizationId,
      serialKey: ({ channelId }) => channelId,
      bytes: () => WAKE_BYTES,
      limits: { items: 200, bytes: 1024 * 1024, inFlight: 2, waiting: 10_000 },
    });
  }

  /**
   * Resolves when the next look at the channel is due, here and at whichever process paces it.
   *
   * @param lane whose recipients may begin; null: of no lane more than before
   * @throws SERVICE_UNAVAILABLE when somebody holds the channel for longer than 5 s, or too much waits
   */
  async execute({ organizationId, channelId }: ChannelKey, lane: WokenLane | null = null): Promise<void> {
    await this.wake({ organizationId, channelId, lane });
    this.signal.wake();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.wake.drain();
  }
}
