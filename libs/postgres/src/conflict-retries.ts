import { setTimeout as wait } from 'node:timers/promises';
import { backoffMs } from '@switchboard/timing';
import { isTransientConflict } from './postgres-errors.js';

const TRIES_MAX = 3;
/** So that those who met in a circle do not meet again. */
const PAUSE = { firstMs: 5, maxMs: 20 };

/**
 * Runs a transaction again after a deadlock or a serialization failure, at most 3 times in all, after a short pause.
 *
 * Not every deadlock is one of ours: PostgreSQL 18.4 makes circles of a single row that one session updates while others lock it
 * FOR UPDATE and FOR KEY SHARE, some in ten thousand.
 *
 * @throws the last conflict, and every other error at once
 */
export async function withConflictRetries<T>(transaction: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await transaction();
    } catch (error) {
      if (!isTransientConflict(error) || tries >= TRIES_MAX) throw error;
      await wait(backoffMs(tries, PAUSE));
    }
  }
}
