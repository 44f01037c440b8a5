import { Inject, Injectable } from '@nestjs/common';
import { LOG, PollingWorker, type Log, type RoundResult } from '@switchboard/platform';
import { Database } from '@switchboard/postgres';
import { LaneWakeUps } from '../lane/lane-wake-ups.js';
import { queueSlice } from './queue-slice.js';
import { ReplaySignal } from '../replay/replay-signal.js';
import { dueReplays, nextReplayMs, postponeReplay, type DueReplay } from '../replay/replay.repository.js';

/** Organizations of a round; the others come first in the next. */
const ROUND_MAX = 20;
/** Slices at once, of a pool of 8. */
const AT_ONCE = 2;
/** How often a replica looks for what another has left. */
const IDLE_MS = 2_000;
/** While another replica has what is due. */
const PAUSE_MS_MIN = 250;

/** Queues the deliveries of replays, a slice of each organization a round, whichever replica looks first. */
@Injectable()
export class QueueReplaysWorker extends PollingWorker {
  constructor(
    private readonly database: Database,
    private readonly wakeUps: LaneWakeUps,
    signal: ReplaySignal,
    @Inject(LOG) private readonly log: Log,
  ) {
    super({ log, idleMs: IDLE_MS, signal, failureEvent: 'replay.round-failed' });
  }

  protected async round(): Promise<RoundResult> {
    const nextMs = await nextReplayMs(this.database);
    if (nextMs === null) return false;
    if (nextMs > 0) return Math.max(nextMs, PAUSE_MS_MIN);
    const due = await dueReplays(this.database, ROUND_MAX);
    let isMoved = false;
    for (let start = 0; start < due.length; start += AT_ONCE) {
      const moved = await Promise.all(due.slice(start, start + AT_ONCE).map((replay) => this.queue(replay)));
      isMoved ||= moved.includes(true);
    }
    return isMoved || PAUSE_MS_MIN;
  }

  /** @returns whether the replay has moved along */
  private async queue(replay: DueReplay): Promise<boolean> {
    const { organizationId, webhookId, id: replayId } = replay;
    try {
      const slice = await queueSlice(this.database, replay);
      if (!slice) return false;
      if (slice.queued > 0) this.wakeUps.sendAgain({ webhookId, floors: { replays: slice.after } });
      if (slice.end !== null) this.log.info('replay.ended', { organizationId, webhookId, replayId, end: slice.end });
      return true;
    } catch (error) {
      this.log.error('replay.slice-failed', error, { organizationId, webhookId, replayId });
      await postponeReplay(this.database, replay);
      return false;
    }
  }
}
