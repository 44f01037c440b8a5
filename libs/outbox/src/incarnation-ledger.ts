import { statement, type Queryable } from '@switchboard/postgres';
import type { Incarnation } from '@switchboard/nats';
import type { OwnIncarnation } from './incarnation.policy.js';

/** The row with what is to be known of a restore. */
export interface IncarnationRow extends OwnIncarnation {
  /** What a restored database holds was written before this. */
  readonly writtenBefore: Date;
  /** Of the server that answered; null: it takes no writes. */
  readonly timeline: number | null;
}

/** The longest that a row may be behind the rest of a backup of its tables alone, which stops no server. */
export const RENEWED_WITHIN_S = 15;
/**
 * A standby that was promoted was started before what it holds was written. It remembers when the last transaction that it got ended;
 * one that began to end later may have overtaken it.
 */
const LAST_OF_PRIMARY = `CASE WHEN pg_last_xact_replay_timestamp() >= compared_at
  THEN pg_last_xact_replay_timestamp() + interval '1 second' END`;
/** Not by the control file, which has the new one only behind a checkpoint. */
const TIMELINE = `CASE WHEN NOT pg_is_in_recovery()
  THEN ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int END`;
const COLUMNS = `number, token, previous_token AS "previousToken", consumer_epoch AS "consumerEpoch",
  CASE WHEN pg_postmaster_start_time() > compared_at THEN pg_postmaster_start_time()
    ELSE least(compared_at + interval '${RENEWED_WITHIN_S} seconds', ${LAST_OF_PRIMARY}) END AS "writtenBefore",
  ${TIMELINE} AS timeline`;
/** $2 in `confirm`, $3 in `renew`: another start of PostgreSQL may be that of a backup. */
const sameServer = (orAny: string): string => `(${orAny} OR server_started_at = pg_postmaster_start_time())`;
const COMPARED = 'compared_at = now(), server_started_at = pg_postmaster_start_time()';

const load = statement<IncarnationRow>('incarnation.load', `SELECT ${COLUMNS} FROM incarnation WHERE id = 1`);
const epoch = statement<{ epoch: number }>(
  'incarnation.consumer-epoch',
  'SELECT consumer_epoch AS epoch FROM incarnation WHERE id = 1',
);
const age = statement<{ ageSeconds: number }>(
  'incarnation.age',
  `SELECT greatest(extract(epoch FROM now() - compared_at), 0)::float8 AS "ageSeconds" FROM incarnation WHERE id = 1`,
);
const begin = statement(
  'incarnation.begin',
  `INSERT INTO incarnation (number, token, previous_token, consumer_epoch, compared_at, server_started_at)
   VALUES ($1, $2, $3, $4, now(), pg_postmaster_start_time()) ON CONFLICT DO NOTHING`,
);
const confirm = statement<IncarnationRow>(
  'incarnation.confirm',
  `UPDATE incarnation SET ${COMPARED} WHERE id = 1 AND token = $1 AND ${sameServer('$2::boolean')} RETURNING ${COLUMNS}`,
);
const renew = statement<IncarnationRow>(
  'incarnation.renew',
  `UPDATE incarnation SET number = number + 1, token = $2, previous_token = token, ${COMPARED}
   WHERE id = 1 AND token = $1 AND ${sameServer('$3::boolean')} RETURNING ${COLUMNS}`,
);
const replace = statement<IncarnationRow>(
  'incarnation.replace',
  `UPDATE incarnation SET number = $2, token = $3, previous_token = $4, consumer_epoch = $5, ${COMPARED}
   WHERE id = 1 AND token = $1 RETURNING ${COLUMNS}`,
);

/** Which of its durable consumers a service uses, see `durableName`; 0 before the first comparison. */
export async function consumerEpoch(through: Queryable): Promise<number> {
  return (await through.query(epoch, []))[0]?.epoch ?? 0;
}

/** Seconds since the database was compared; null before the first comparison. */
export async function comparisonAge(through: Queryable): Promise<number | null> {
  return (await through.query(age, []))[0]?.ageSeconds ?? null;
}

/** What says that the row is the newest: a comparison just now, or that PostgreSQL has not started anew since the last one. */
export type IncarnationProof = 'compared' | 'same server';

/** What a service reads and writes of its incarnation. Each method is one statement; undefined: the row is another one by now. */
export class IncarnationLedger {
  constructor(private readonly through: Queryable) {}

  async load(): Promise<IncarnationRow | undefined> {
    return (await this.through.query(load, []))[0];
  }

  /** Makes the row, unless another process has. */
  async begin({ number, token, previousToken, consumerEpoch }: OwnIncarnation): Promise<void> {
    await this.through.query(begin, [number, token, previousToken, consumerEpoch]);
  }

  /** Records that the row is the newest now; with the proof `same server` under the start of PostgreSQL alone under which it was compared. */
  async confirm(token: string, proof: IncarnationProof): Promise<IncarnationRow | undefined> {
    return (await this.through.query(confirm, [token, proof === 'compared']))[0];
  }

  /** Goes on to the next token. A process that knows the present one needs no comparison for that: nothing came between. */
  async renew(token: string, next: string, proof: IncarnationProof): Promise<IncarnationRow | undefined> {
    return (await this.through.query(renew, [token, next, proof === 'compared']))[0];
  }

  /** Goes on behind what the broker was shown before the restore. */
  async replace(token: string, next: string, shown: Incarnation): Promise<IncarnationRow | undefined> {
    const values = [token, shown.number + 1, next, shown.token, shown.consumerEpoch + 1];
    return (await this.through.query(replace, values))[0];
  }
}
