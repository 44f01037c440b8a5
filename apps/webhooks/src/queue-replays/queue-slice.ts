import type { Database } from '@switchboard/postgres';
import { firstSlice } from '../event/feed.repository.js';
import { shareEvents } from '../webhook/webhook.repository.js';
import {
  queueReplay,
  REPLAY_SLICE_POSITIONS,
  replayedEvents,
  waitingOf,
} from '../replay/replayed-events.repository.js';
import {
  endReplay,
  moveReplay,
  pauseReplay,
  takeReplay,
  waitingReplayed,
  type ReplayEnd,
  type ReplayKey,
} from '../replay/replay.repository.js';

/** Deliveries of a transaction, which holds up whoever changes the webhook. */
const SLICE_DELIVERIES = 1_000;
/**
 * While as many replayed deliveries of a webhook wait, no more are queued: replays never deactivate, and a receiver that hangs would have them
 * grow without end. More than the fastest receiver takes in a pause. Source: docs/api-behaviour.md#webhooks-replay.
 */
const WAITING_MAX = 10_000;
const PAUSE_MS = 1_000;

/** What a slice came to. */
export interface QueuedSlice {
  readonly queued: number;
  /** Events at or before this position are not among them. */
  readonly after: number;
  /** Null: there is more. */
  readonly end: ReplayEnd | null;
}

/**
 * Queues the next deliveries of a replay and moves it along, in one transaction: a process that is killed leaves both or none.
 *
 * The webhook's row is locked against changes, not its lane: the worker delivers meanwhile, as it does while events are stored. A
 * deactivation waits for the commit and drops what was queued, or was before, and is seen here.
 *
 * @returns null when another replica has the replay, or it has ended
 * @throws when the webhook's row is locked for more than 500 ms
 */
export async function queueSlice(database: Database, key: ReplayKey): Promise<QueuedSlice | null> {
  const { organizationId, webhookId } = key;
  return database.transaction(
    async (tx) => {
      const subscribed: readonly string[] = await shareEvents(tx, organizationId, webhookId);
      const replay = await takeReplay(tx, key);
      if (!replay) return null;
      if (subscribed.length === 0) {
        await endReplay(tx, key, replay.after, 'CANCELED');
        return { queued: 0, after: replay.after, end: 'CANCELED' };
      }
      if ((await waitingReplayed(tx, webhookId, WAITING_MAX)) >= WAITING_MAX) {
        await pauseReplay(tx, key, PAUSE_MS);
        return { queued: 0, after: replay.after, end: null };
      }
      const types = replay.types.filter((type) => subscribed.includes(type));
      const slice = await firstSlice(tx, replay, REPLAY_SLICE_POSITIONS);
      const { found, upTo: position } = await replayedEvents(tx, { ...replay, ...slice, types }, SLICE_DELIVERIES);
      // What waits for its first attempt goes out in front of this replay: it would come twice.
      const waiting = replay.onlyMissed ? await waitingOf(tx, webhookId, found) : new Set();
      const ids = found.flatMap(({ id }) => (waiting.has(id) ? [] : id));
      await queueReplay(tx, replay, ids);
      const isOver = position >= replay.upTo;
      if (isOver) await endReplay(tx, key, position, 'FINISHED');
      else await moveReplay(tx, key, position);
      return { queued: ids.length, after: replay.after, end: isOver ? 'FINISHED' : null };
    },
    { tenant: organizationId, hasShortLocks: true },
  );
}
