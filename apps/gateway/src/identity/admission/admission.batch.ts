import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { lockTimeout, type Database } from '@switchboard/postgres';
import { coalesce, type Coalesced, type Outcome, type RunOptions } from '@switchboard/postgres/coalesce';
import { withDeadline } from '@switchboard/timing';
import { admitBatch, type KeyRow } from './admission.repository.js';
import { RateAnswers, type RateAnswer } from './rate-limit.policy.js';

/** One key to admit. */
export interface KeyQuestion {
  /** SHA-256 of the key, 64 hex digits. */
  readonly hash: string;
  readonly cost: 0 | 1;
  /** Monotonic milliseconds. */
  readonly askedMs: number;
}

/** An active key and its share of the rate limit; null for a key that does not exist or was revoked. */
export type KeyAnswer = { readonly key: KeyRow; readonly answer: RateAnswer } | null;

/** How long a request waits for its admission while the database does not answer. */
const WAIT_MAX_MS = 3_000;
const LIMITS = { items: 200, bytes: Number.MAX_SAFE_INTEGER, inFlight: 2, waiting: 10_000 };

/**
 * Asks the database for concurrent admissions in few statements.
 *
 * The organization is not known before the look-up, so that keys take turns in the queue.
 */
export function coalesceAdmissions(database: Database): Coalesced<KeyQuestion, KeyAnswer> {
  return coalesce({
    name: 'admission',
    limits: LIMITS,
    tenant: (question) => question.hash,
    run: (questions, options) => runAdmissions(database, questions, options),
  });
}

/** One batch: the same answers as its questions one by one, in their order. */
export async function runAdmissions(
  database: Database,
  questions: readonly KeyQuestion[],
  options: Partial<RunOptions> = {},
): Promise<Outcome<KeyAnswer>[]> {
  // Their requests were answered: behind a database that hangs they would only lengthen the queue.
  const oldest = performance.now() - WAIT_MAX_MS;
  const live = questions.filter(({ askedMs }) => askedMs >= oldest);
  const keys = live.length === 0 ? new Map<string, KeyRow>() : await inTime(askDatabase(database, live, options));
  const rates = new Map<string, RateAnswers>();
  return questions.map((question) => {
    if (question.askedMs < oldest) return { error: unavailable() };
    const key = keys.get(question.hash);
    if (!key) return { ok: null };
    let rate = rates.get(key.organizationId);
    if (!rate) rates.set(key.organizationId, (rate = new RateAnswers(key)));
    // Where nothing is taken of the rate, its row was read alone.
    return { ok: { key, answer: rate.next(question.cost) }, provesNothing: question.cost === 0 };
  });
}

async function askDatabase(
  database: Database,
  questions: readonly KeyQuestion[],
  options: Partial<RunOptions>,
): Promise<Map<string, KeyRow>> {
  const costs = new Map<string, number>();
  for (const { hash, cost } of questions) costs.set(hash, (costs.get(hash) ?? 0) + cost);
  const rows = await database.query(admitBatch, [
    [...costs.keys()],
    [...costs.values()],
    lockTimeout(options.lockWaitMs),
  ]);
  return new Map(rows.map((row) => [row.hash, row]));
}

/** Bounds the wait for the pool and the server; the statement itself ends by its own timeout. */
function inTime<Result>(work: Promise<Result>): Promise<Result> {
  return withDeadline(work, WAIT_MAX_MS, () => {
    throw unavailable();
  });
}

function unavailable(): AppError {
  return new AppError(serviceErrors.SERVICE_UNAVAILABLE, undefined, { retryAfterSeconds: 1 });
}
