import type { Database } from '@switchboard/postgres';
import type { Log } from '@switchboard/platform';
import { notePaces, type PaceNote } from './channel-pace.repository.js';
import type { LaneSignal } from './lane-signal.js';

/** Far more than are noted in the time of a lock. */
const WAITING_MAX = 10_000;

/**
 * Notes what attempts mean for the paces of their channels, behind the commits of their records: a claim holds the pace of
 * its channel and waits for conversations, which the record held. In the background, so that a pace whose row is locked
 * holds up no record of another organization.
 */
export class PaceNotes {
  private waiting: PaceNote[] = [];
  private noting: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    private readonly lanes: Pick<LaneSignal, 'wake'>,
    private readonly log: Log,
  ) {}

  /** What is past the bound is not noted: the next refusal slows the pace, and the sweep finds a repetition. */
  add(notes: readonly PaceNote[]): void {
    if (notes.length === 0 || this.waiting.length >= WAITING_MAX) return;
    this.waiting.push(...notes);
    this.noting ??= this.noteAll();
  }

  /** Returns when all that was added is noted. */
  async drain(): Promise<void> {
    await this.noting;
  }

  private async noteAll(): Promise<void> {
    while (this.waiting.length > 0) {
      const notes = this.waiting;
      this.waiting = [];
      try {
        await this.database.transaction(async (tx) => notePaces(tx, notes), { hasShortLocks: true });
      } catch (error) {
        this.log.error('pace.note-failed', error, { channels: notes.length });
      }
      if (notes.some(({ dueInMs }) => dueInMs !== null)) this.lanes.wake();
    }
    this.noting = undefined;
  }
}
