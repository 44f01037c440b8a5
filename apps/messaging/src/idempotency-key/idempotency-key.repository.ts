import {
  pruneSql,
  statement,
  type PruneStatement,
  type Queryable,
  type Transaction,
  unnestColumns,
} from '@switchboard/postgres';

/** What a send claims when its caller named a key: to be the only one under it. */
export interface KeyClaim {
  /** SHA-256 of the key, in hexadecimal. */
  readonly keySha256: string;
  /** SHA-256 of the request's body, in hexadecimal. */
  readonly bodySha256: string;
}

/** Names a key: each organization has its own. */
export interface KeyName {
  readonly organizationId: string;
  readonly keySha256: string;
}

/** An answer as it was given, to the byte. */
export interface GivenAnswer {
  /** Of HTTP. */
  readonly status: number;
  /** JSON text. */
  readonly body: string;
  /** Of the upstream, in a refusal that repeats its own. */
  readonly upstreamCode?: string;
}

/** A key that has a message. */
export interface TakenKey extends KeyName {
  readonly bodySha256: string;
  readonly messageId: string;
  /** Null until the first request is answered, or its answer derived. */
  readonly answer: GivenAnswer | null;
  /** Milliseconds since its message was stored. */
  readonly ageMs: number;
}

/** A claim with the message that it is for. */
export interface ClaimedKey extends KeyName, KeyClaim {
  readonly messageId: string;
}

/** How long a key is kept, from the commit of its message. Source: docs/api-behaviour.md#idempotency. */
const KEPT = "interval '24 hours'";

interface FoundKey extends Omit<TakenKey, 'answer'> {
  readonly status: number | null;
  readonly answer: string | null;
  readonly upstreamCode: string | null;
  readonly isPast: boolean;
}

/** By the primary key; keys past their day are marked, since they may not be pruned yet. */
const findSql = statement<FoundKey>(
  'messaging.idempotency-key.find',
  `SELECT k.organization_id AS "organizationId", encode(k.key_sha256, 'hex') AS "keySha256",
     encode(k.body_sha256, 'hex') AS "bodySha256", k.message_id AS "messageId", k.status, k.response AS answer, k.upstream_code AS "upstreamCode",
     (extract(epoch FROM now() - k.created_at) * 1000)::float8 AS "ageMs", k.created_at <= now() - ${KEPT} AS "isPast"
   FROM unnest($1::text[], $2::text[]) AS given(organization_id, key_sha256)
   JOIN idempotency_key k ON k.organization_id = given.organization_id
     AND k.key_sha256 = decode(given.key_sha256, 'hex')`,
  { writesNothing: true },
);
const deletePastSql = statement(
  'messaging.idempotency-key.delete-past',
  `DELETE FROM idempotency_key k USING unnest($1::text[], $2::text[]) AS given(organization_id, key_sha256)
   WHERE k.organization_id = given.organization_id AND k.key_sha256 = decode(given.key_sha256, 'hex')
     AND k.created_at <= now() - ${KEPT}`,
);
/** Sorted against deadlocks: who finds a key that another transaction is inserting waits for that one's end. */
const insertSql = statement(
  'messaging.idempotency-key.insert',
  `INSERT INTO idempotency_key (organization_id, key_sha256, body_sha256, message_id)
   SELECT organization_id, decode(key_sha256, 'hex'), decode(body_sha256, 'hex'), message_id
   FROM unnest($1::text[], $2::text[], $3::text[], $4::text[])
     AS k(organization_id, key_sha256, body_sha256, message_id)
   ORDER BY 1, 2`,
);
/** Deletes keys that are past their day, by `idempotency_key_age`. */
export const pruneKeys: PruneStatement = statement(
  'messaging.idempotency-key.forget',
  pruneSql({
    table: 'idempotency_key',
    key: ['organization_id', 'key_sha256'],
    age: 'created_at',
    upTo: `now() - ${KEPT}`,
  }),
);

/** The keys in use: those that have a message, and which of them are past their day and free again. */
export async function findKeys(
  through: Queryable,
  names: readonly KeyName[],
): Promise<{ readonly taken: readonly TakenKey[]; readonly past: readonly KeyName[] }> {
  if (names.length === 0) return { taken: [], past: [] };
  const found = await through.query(findSql, unnestColumns(names, ['organizationId', 'keySha256']));
  const taken = found.filter(({ isPast }) => !isPast).map(takenKeyOf);
  return { taken, past: found.filter(({ isPast }) => isPast) };
}

/**
 * Takes keys, in the place of those that are past their day. Travels with COMMIT.
 *
 * @throws SQLSTATE 23505 at COMMIT when another transaction took one of them first: to be looked for again
 */
export function insertKeys(tx: Transaction, claimed: readonly ClaimedKey[], past: readonly KeyName[]): void {
  if (claimed.length === 0) return;
  if (past.length > 0) tx.atCommit(deletePastSql, unnestColumns(past, ['organizationId', 'keySha256']));
  tx.atCommit(insertSql, unnestColumns(claimed, ['organizationId', 'keySha256', 'bodySha256', 'messageId']));
}

function takenKeyOf({ status, answer, upstreamCode, isPast: _isPast, ...key }: FoundKey): TakenKey {
  return { ...key, answer: status === null || answer === null ? null : givenAnswer(status, answer, upstreamCode) };
}

/** An answer of its columns. */
export function givenAnswer(status: number, body: string, upstreamCode: string | null): GivenAnswer {
  return { status, body, ...(upstreamCode !== null && { upstreamCode }) };
}
