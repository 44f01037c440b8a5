import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { parsePhone } from '@switchboard/phone';
import { statement, unnestColumns, type Database } from '@switchboard/postgres';

/** A number as a caller wrote it, and whose it is. */
export interface WrittenNumber {
  readonly index: number;
  readonly to: string;
}

/** A number that was read in the channel's region. */
export interface ReadNumber {
  readonly index: number;
  readonly phone: string;
  readonly subscriber: string;
}

/** 5 to 17 µs each: the event loop is held for less than 10 ms. */
const SLICE_MAX = 500;
/** Rows of one statement. */
const UPDATE_MAX = 5_000;

const writtenSql = statement<WrittenNumber>(
  'templates.recipient.written',
  `SELECT r.index, r.phone AS "to" FROM unnest($3::int[]) AS given (index)
   JOIN recipient r ON r.organization_id = $1 AND r.job_id = $2 AND r.index = given.index
   WHERE r.subscriber IS NULL ORDER BY r.index`,
);
const setNumbersSql = statement(
  'templates.recipient.set-numbers',
  `UPDATE recipient r SET phone = given.phone, subscriber = given.subscriber
   FROM unnest($3::int[], $4::text[], $5::text[]) AS given (index, phone, subscriber)
   WHERE r.organization_id = $1 AND r.job_id = $2 AND r.index = given.index`,
);
/**
 * For the one statement that reads a whole batch: as long as a commit may take, where ten large batches are committed at once on a
 * busy machine, and a sort in memory.
 */
const wholeBatchSql = statement(
  'templates.recipient.whole-batch',
  `SELECT set_config('statement_timeout', '15s', true), set_config('work_mem', '32MB', true)`,
);
/** Of the rows of one subscriber the first counts; those of erased contacts have none. A sort of the job's rows: 100 ms for 100,000. */
const duplicatesSql = statement<{ index: number }>(
  'templates.recipient.duplicates',
  `SELECT index FROM (
     SELECT index, row_number() OVER (PARTITION BY subscriber COLLATE "C" ORDER BY index) AS place FROM recipient
     WHERE organization_id = $1 AND job_id = $2 AND subscriber <> '') AS placed
   WHERE place > 1 ORDER BY index`,
);
const skipSql = statement(
  'templates.recipient.skip-duplicates',
  `UPDATE recipient r SET status = 'SKIPPED', reason = 'DUPLICATE' FROM unnest($3::int[]) AS given (index)
   WHERE r.organization_id = $1 AND r.job_id = $2 AND r.index = given.index`,
);

/** Reads numbers in the region, a slice at a time. @returns what was read, and the indexes of what is no number */
export async function readNumbers(
  written: readonly WrittenNumber[],
  region: string,
): Promise<{ readonly read: readonly ReadNumber[]; readonly invalid: readonly number[] }> {
  const read: ReadNumber[] = [];
  const invalid: number[] = [];
  for (const [position, { index, to }] of written.entries()) {
    if (position > 0 && position % SLICE_MAX === 0) await yieldToOthers();
    const parsed = parsePhone(to, region);
    if (parsed) read.push({ index, phone: parsed.phone, subscriber: parsed.aliases[0] ?? parsed.phone });
    else invalid.push(index);
  }
  return { read, invalid };
}

/** Reads the staged numbers of a batch in the channel's region and stores them. @returns indexes of what is no number */
export async function readStagedNumbers(
  database: Pick<Database, 'query'>,
  batch: { readonly organizationId: string; readonly jobId: string },
  unread: readonly number[],
  region: string,
): Promise<number[]> {
  const invalid: number[] = [];
  for (const slice of slicesOf(unread)) {
    const written = await database.query(writtenSql, [batch.organizationId, batch.jobId, slice]);
    const numbers = await readNumbers(written, region);
    invalid.push(...numbers.invalid);
    const columns = unnestColumns(numbers.read, ['index', 'phone', 'subscriber']);
    await database.query(setNumbersSql, [batch.organizationId, batch.jobId, ...columns]);
  }
  return invalid;
}

/** Marks staged recipients whose subscriber comes earlier in the batch. @returns how many there are */
export async function skipStagedDuplicates(
  database: Pick<Database, 'query' | 'transaction'>,
  batch: { readonly organizationId: string; readonly jobId: string },
): Promise<number> {
  const duplicates = await database.transaction(async (tx) => {
    await tx.query(wholeBatchSql, []);
    return tx.query(duplicatesSql, [batch.organizationId, batch.jobId]);
  });
  for (const slice of slicesOf(duplicates.map(({ index }) => index))) {
    await database.query(skipSql, [batch.organizationId, batch.jobId, slice]);
  }
  return duplicates.length;
}

/** The statement and values that mark recipients as duplicates. */
export function skipDuplicates(
  batch: { readonly organizationId: string; readonly jobId: string },
  indexes: readonly number[],
): readonly [typeof skipSql, readonly unknown[]] {
  return [skipSql, [batch.organizationId, batch.jobId, indexes]];
}

function* slicesOf(indexes: readonly number[]): Generator<readonly number[]> {
  for (let from = 0; from < indexes.length; from += UPDATE_MAX) yield indexes.slice(from, from + UPDATE_MAX);
}
