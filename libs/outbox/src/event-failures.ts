import { statement, type Queryable, type Transaction } from '@switchboard/postgres';

/**
 * DDL of what events have failed by themselves, for consumers that count to bury: the broker's count of deliveries grows by
 * every outage as well. Removed when the event is applied or buried; pruned with the inbox.
 */
export const eventFailureTable = `
  CREATE TABLE event_failure (
    event_id text COLLATE "C" NOT NULL,
    consumer text NOT NULL,
    failures integer NOT NULL,
    PRIMARY KEY (event_id, consumer)
  ) WITH (fillfactor = 50);
`;

const countSql = statement<{ failures: number }>(
  'event-failure.count',
  `INSERT INTO event_failure AS f (event_id, consumer, failures) VALUES ($1, $2, 1)
   ON CONFLICT (event_id, consumer) DO UPDATE SET failures = f.failures + 1 RETURNING failures`,
);
const forgetSql = statement(
  'event-failure.forget',
  'DELETE FROM event_failure WHERE event_id = ANY($1::text[]) AND consumer = $2',
);

/** Counts one more failure of an event alone, whatever became of its neighbours. @returns how many there are now */
export async function countFailure(through: Queryable, consumer: string, eventId: string): Promise<number> {
  const [row] = await through.query(countSql, [eventId, consumer]);
  if (!row) throw new Error('a failure was not counted');
  return row.failures;
}

/** Forgets what events have failed, with the transaction that applies them. */
export function forgetFailures(tx: Transaction, consumer: string, eventIds: readonly string[]): void {
  if (eventIds.length > 0) tx.atCommit(forgetSql, [eventIds, consumer]);
}
