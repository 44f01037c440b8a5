import { statement, type Transaction } from '@switchboard/postgres';

const readSql = statement<{ id: string; last: number }>(
  'webhooks.line.read',
  'SELECT id, last_sequence::float8 AS last FROM line WHERE id = ANY ($1::text[])',
);
/** Sorted, so that two readers, of which one is about to end, never wait for each other. */
const storeSql = statement(
  'webhooks.line.store',
  `INSERT INTO line AS l (id, last_sequence)
   SELECT id, last FROM unnest($1::text[], $2::bigint[]) AS given (id, last) ORDER BY id
   ON CONFLICT (id) DO UPDATE SET last_sequence = greatest(l.last_sequence, excluded.last_sequence)`,
);

/** The last number that is stored of each line; a line that is new has none. */
export async function readLines(tx: Transaction, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.query(readSql, [ids]);
  return new Map(rows.map(({ id, last }) => [id, last]));
}

/** Records the last numbers; travels with the commit. */
export function storeLines(tx: Transaction, reached: ReadonlyMap<string, number>): void {
  if (reached.size > 0) tx.atCommit(storeSql, [[...reached.keys()], [...reached.values()]]);
}
