import { statement, type Queryable, type Transaction } from '@switchboard/postgres';
import type { ShapeGroup } from '../recipient/variable-shape.policy.js';

/** What a commit needs of a chunk without reading its recipients. */
export interface StagedChunk {
  readonly firstIndex: number;
  readonly recipients: number;
  readonly shapes: readonly ShapeGroup[];
  /** Recipients whose number cannot be read without a region. */
  readonly unread: readonly number[];
}

const insertSql = statement<{ firstIndex: number }>(
  'templates.staged-chunk.insert',
  `INSERT INTO staged_chunk (organization_id, job_id, first_index, recipients, shapes, unread)
   VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING RETURNING first_index AS "firstIndex"`,
);
const listSql = statement<{ firstIndex: number; recipients: number; shapes: string; unread: number[] }>(
  'templates.staged-chunk.list',
  `SELECT first_index AS "firstIndex", recipients, shapes, unread FROM staged_chunk
   WHERE organization_id = $1 AND job_id = $2 ORDER BY first_index`,
);

/** Records a chunk. @returns false when it is there already */
export async function insertChunk(
  tx: Transaction,
  organizationId: string,
  jobId: string,
  chunk: StagedChunk,
): Promise<boolean> {
  const { firstIndex, recipients, shapes, unread } = chunk;
  const values = [organizationId, jobId, firstIndex, recipients, JSON.stringify(shapes), unread];
  return (await tx.query(insertSql, values)).length > 0;
}

/** The chunks of a job in their order. */
export async function listChunks(through: Queryable, organizationId: string, jobId: string): Promise<StagedChunk[]> {
  const rows = await through.query(listSql, [organizationId, jobId]);
  return rows.map((row) => ({ ...row, shapes: JSON.parse(row.shapes) as ShapeGroup[] }));
}

/** True when the chunks hold each recipient of a batch exactly once. */
export function areComplete(chunks: readonly StagedChunk[], total: number): boolean {
  let next = 0;
  for (const { firstIndex, recipients } of chunks) {
    if (firstIndex !== next) return false;
    next += recipients;
  }
  return next === total;
}
