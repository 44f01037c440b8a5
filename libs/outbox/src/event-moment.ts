import { newCuidAt } from '@switchboard/contracts/grammar/cuid';
import { statement, type Transaction } from '@switchboard/postgres';

const nowSql = statement<{ nowMs: number }>(
  'outbox.event-moment',
  'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "nowMs"',
  { writesNothing: true },
);

/** When something became true, by the database's clock. */
export interface EventMoment {
  readonly occurredAt: Date;
  /** A new cuid of that time. */
  newId(): string;
}

/**
 * The moment of events without a number, of which consumers keep the newest by its id: by the clocks of two processes a later change could
 * have the lower one, and be lost. To be asked under the lock of what changes.
 */
export async function eventMoment(tx: Transaction): Promise<EventMoment> {
  const [row] = await tx.query(nowSql, []);
  if (!row) throw new Error('the database does not say its time');
  const { nowMs } = row;
  return { occurredAt: new Date(nowMs), newId: () => newCuidAt(nowMs) };
}
