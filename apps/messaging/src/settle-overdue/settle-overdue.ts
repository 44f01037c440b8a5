import type { Database } from '@switchboard/postgres';
import { dispatchMetrics } from '../dispatch/dispatch-metrics.js';
import { lockExpired } from '../dispatch/dispatch.repository.js';
import { SETTLE_DEADLINE_MS } from '../dispatch/retry.policy.js';
import { NEVER_TAKEN, OUTCOME_UNKNOWN } from '../message/message-progress.policy.js';
import { failedIfQueued, recordProgress } from '../message/record-progress.js';

/**
 * Fails what is open past 24 h, by name of what is not known of it. Late evidence still corrects it. Waits for no lock.
 *
 * @param at what the clock says
 * @returns how many were open and not locked
 */
export async function failExpired(database: Database, limit: number, at: Date): Promise<number> {
  const expired = await database.transaction(async (tx) => {
    const open = await lockExpired(tx, limit, SETTLE_DEADLINE_MS);
    await recordProgress(
      tx,
      open.map((message) => failedIfQueued(message, at, failureOf(message.state))),
    );
    return open;
  });
  for (const { state } of expired) dispatchMetrics().expired(state, 1);
  return expired.length;
}

function failureOf(state: 'UNKNOWN' | 'RETRY' | 'PACED'): { code: string; message: string } {
  return state === 'UNKNOWN'
    ? {
        code: OUTCOME_UNKNOWN,
        message: 'It is not known whether the upstream took the message; do not send it again blindly',
      }
    : { code: NEVER_TAKEN, message: 'The upstream did not take the message within 24 hours' };
}
