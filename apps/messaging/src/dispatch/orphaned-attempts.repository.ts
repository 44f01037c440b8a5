import { IS_COMPARED } from '@switchboard/outbox';
import { statement, type Database } from '@switchboard/postgres';
import { announceUnknown } from './announce-unknown.js';
import { lockFreeMessages } from '../message/lock-messages.js';
import { ARRIVE_WITHIN_MS, LEASE_MS, type Dispatch } from './dispatch.entity.js';
import { postponeDispatches, type Postponement } from './dispatch.repository.js';

/** An attempt whose process is gone. */
export interface OrphanedAttempt extends Pick<Dispatch, 'organizationId' | 'messageId' | 'lease'> {
  readonly state: 'DISPATCHING' | 'UNKNOWN';
  /** Whatever left of it has reached the upstream by now: it was marked so long ago. */
  readonly hasArrived: boolean;
}

/**
 * Open marks of all tenants are few; index `dispatch_due`. In a database that is from a backup they were marked again since,
 * perhaps, and a journal does not speak for them.
 */
const orphanedSql = statement<OrphanedAttempt>(
  'messaging.dispatch.left',
  `SELECT organization_id AS "organizationId", message_id AS "messageId", lease, state,
     due_at <= now() + make_interval(secs => ${(LEASE_MS - ARRIVE_WITHIN_MS) / 1_000}) AS "hasArrived"
   FROM dispatch WHERE state IN ('DISPATCHING', 'UNKNOWN') AND split_part(lease, '.', 1) = ANY($1::text[])
     AND ${IS_COMPARED}`,
);

const comparedSql = statement<{ isCompared: boolean }>(
  'messaging.dispatch.left-compared',
  `SELECT ${IS_COMPARED} AS "isCompared"`,
);

/** Whether journals may be used at present: the database is not from a backup. */
export async function mayTakeOver(database: Database): Promise<boolean> {
  const [row] = await database.query(comparedSql, []);
  return row?.isCompared === true;
}

/** Attempts that were marked under leases of the generations and are not settled, those that ended as UNKNOWN included. */
export async function orphanedAttempts(database: Database, generations: readonly string[]): Promise<OrphanedAttempt[]> {
  return database.query(orphanedSql, [generations]);
}

/**
 * Takes attempts over, each as it is said; those that were settled or taken over meanwhile stay as they are. Waits for no lock.
 *
 * @returns those that were looked at; the messages of the others are held by other transactions
 */
export async function takeOver(database: Database, postponements: readonly Postponement[]): Promise<Postponement[]> {
  return database.transaction(async (tx) => {
    const attempts = postponements.map(({ dispatch }) => dispatch);
    const free = new Set(await lockFreeMessages(tx, attempts));
    const taken = postponements.filter(({ dispatch }) => free.has(dispatch));
    await announceUnknown(
      tx,
      taken.filter(({ state }) => state === 'UNKNOWN').map(({ dispatch }) => dispatch),
    );
    postponeDispatches(tx, taken);
    return taken;
  });
}
