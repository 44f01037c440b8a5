import { Inject, Injectable } from '@nestjs/common';
import { PLATFORM, type Platform } from '@switchboard/platform';

/** Says, in this process and to the other replicas, which webhooks have something to deliver. May be lost: workers look too. */
@Injectable()
export class LaneWakeUps {
  private readonly listeners = new Set<(webhookIds: readonly string[]) => void>();

  constructor(@Inject(PLATFORM) private readonly platform: Pick<Platform, 'wakeUps'>) {}

  /** To be called after the commit. */
  send(webhookIds: readonly string[]): void {
    if (webhookIds.length === 0) return;
    for (const listener of this.listeners) listener(webhookIds);
    this.platform.wakeUps.send(webhookIds);
  }

  /** Hears this process and the others. @returns ends it */
  listen(onWake: (webhookIds: readonly string[]) => void): () => void {
    this.listeners.add(onWake);
    const end = this.platform.wakeUps.listen(onWake);
    return () => {
      this.listeners.delete(onWake);
      end();
    };
  }
}
