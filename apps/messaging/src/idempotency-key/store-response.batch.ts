import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { Database, statement, type Transaction, unnestColumns } from '@switchboard/postgres';
import { coalesce, type Coalesced, type Outcome } from '@switchboard/postgres/coalesce';
import { givenAnswer, type GivenAnswer, type KeyName } from './idempotency-key.repository.js';

/** An answer that is about to be given under a key. */
export interface KeptAnswer extends KeyName {
  /** Of the key's message. */
  readonly messageId: string;
  readonly answer: GivenAnswer;
}

/** The stored response stays: a second request gets the first one's answer back. One row per key, in the order of locks. */
const keepSql = statement<KeyName & { messageId: string; status: number; answer: string; upstreamCode: string | null }>(
  'messaging.idempotency-key.store-response',
  `UPDATE idempotency_key k SET status = coalesce(k.status, a.status), response = coalesce(k.response, a.answer),
     upstream_code = CASE WHEN k.status IS NULL THEN a.upstream_code ELSE k.upstream_code END
   FROM (SELECT DISTINCT ON (organization_id, key_sha256, message_id) *
     FROM unnest($1::text[], $2::text[], $3::text[], $4::smallint[], $5::text[], $6::text[]) WITH ORDINALITY
       AS given(organization_id, key_sha256, message_id, status, answer, upstream_code, n)
     ORDER BY organization_id, key_sha256, message_id, n) a
   WHERE k.organization_id = a.organization_id AND k.key_sha256 = decode(a.key_sha256, 'hex')
     AND k.message_id = a.message_id
   RETURNING k.organization_id AS "organizationId", encode(k.key_sha256, 'hex') AS "keySha256",
     k.message_id AS "messageId", k.status, k.response AS answer, k.upstream_code AS "upstreamCode"`,
);

/** Stores the responses to requests with a key, before any of them is sent. */
@Injectable()
export class StoreResponse implements BeforeApplicationShutdown {
  private readonly keep: Coalesced<KeptAnswer, GivenAnswer>;

  constructor(database: Database) {
    this.keep = coalesceAnswers(database, storeResponses);
  }

  /**
   * @returns what may be given: the first answer that was ever stored of the message, which another may have done
   * @throws when it cannot be stored, the signal's reason among others: nothing may be given then; asking again is safe
   */
  async execute(kept: KeptAnswer, signal: AbortSignal): Promise<GivenAnswer> {
    return this.keep(kept, signal);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.keep.drain();
  }
}

/** The coalesced function. @param run what a batch does */
export function coalesceAnswers(database: Database, run: typeof storeResponses): Coalesced<KeptAnswer, GivenAnswer> {
  return coalesce<KeptAnswer, GivenAnswer>({
    name: 'messaging.store-response',
    run: (items, options) => database.transaction((tx) => run(tx, items), { hasShortLocks: true, ...options }),
    tenant: ({ organizationId }) => organizationId,
    serialKey: ({ organizationId, keySha256 }) => `${organizationId} ${keySha256}`,
    bytes: ({ answer }) => answer.body.length,
    limits: { items: 200, bytes: 4_000_000, inFlight: 2, waiting: 10_000 },
  });
}

/** The whole effect of a batch. An answer whose key is forgotten is given as it is. */
export async function storeResponses(tx: Transaction, items: readonly KeptAnswer[]): Promise<Outcome<GivenAnswer>[]> {
  const stored = await tx.query(
    keepSql,
    unnestColumns(items, [
      'organizationId',
      'keySha256',
      'messageId',
      ({ answer }) => answer.status,
      ({ answer }) => answer.body,
      ({ answer }) => answer.upstreamCode ?? null,
    ]),
  );
  const answers = new Map(stored.map((row) => [nameOf(row), givenAnswer(row.status, row.answer, row.upstreamCode)]));
  return items.map((item) => ({ ok: answers.get(nameOf(item)) ?? item.answer }));
}

function nameOf({ organizationId, keySha256, messageId }: KeyName & { readonly messageId: string }): string {
  return `${organizationId} ${keySha256} ${messageId}`;
}
