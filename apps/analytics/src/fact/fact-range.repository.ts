import { Injectable } from '@nestjs/common';
import { Database, statement, type Transaction, unnestColumns } from '@switchboard/postgres';
import type { MessageFact } from './message-fact.js';

/** A range of an organization's facts by the ids of their messages. */
export interface FactRange {
  readonly organizationId: string;
  /** Inclusive. */
  readonly from: string;
  /** Exclusive. */
  readonly after: string;
  /** Inclusive. */
  readonly until: string;
}

/** What of a fact never changes, and its version. */
export type KnownFact = Pick<MessageFact, 'id' | 'channelId' | 'contactId' | 'isInbound' | 'templateId' | 'version'>;

/** A fact with what its template is credited with. */
export interface CreditedFact extends MessageFact {
  readonly isReplied: boolean;
  readonly isOptedOut: boolean;
}

const columns = `m.organization_id AS "organizationId", m.id, m.channel_id AS "channelId", m.contact_id AS "contactId",
     m.is_inbound AS "isInbound", m.template_id AS "templateId", m.version::float8 AS version, m.stage,
     m.is_failed AS "isFailed", m.error_code AS "errorCode", m.sent_at AS "sentAt", m.delivered_at AS "deliveredAt",
     m.read_at AS "readAt", m.is_replied AS "isReplied", m.is_opted_out AS "isOptedOut"`;

const page = statement<CreditedFact>(
  'analytics.message-fact.page',
  `SELECT ${columns} FROM message_fact AS m
   WHERE m.organization_id = $1 AND m.id >= $2 AND m.id > $3 AND m.id <= $4 ORDER BY m.id LIMIT $5`,
);
/** The version is compared once more: one that has changed since it was read is of an event that has just come. */
const forget = statement(
  'analytics.message-fact.forget',
  `UPDATE message_fact AS m SET version = 0 FROM unnest($2::text[], $3::bigint[]) AS known(id, version)
   WHERE m.organization_id = $1 AND m.id = known.id AND m.version = known.version`,
);
const remove = statement<CreditedFact>(
  'analytics.message-fact.remove',
  `DELETE FROM message_fact AS m USING unnest($2::text[]) AS gone(id)
   WHERE m.organization_id = $1 AND m.id = gone.id RETURNING ${columns}`,
);

/** Reads facts in the order of their messages. */
@Injectable()
export class FactRangeRepository {
  constructor(private readonly database: Database) {}

  /** The first facts of a range. */
  async list(range: FactRange, limit: number): Promise<CreditedFact[]> {
    return readFacts(this.database, range, limit);
  }

  /** Has any event, or answer of messaging, count as newer than these facts, unless another version has come meanwhile. */
  async forgetVersions(organizationId: string, known: readonly KnownFact[]): Promise<void> {
    await this.database.query(forget, [organizationId, ...unnestColumns(known, ['id', 'version'])]);
  }
}

/** The first facts of a range, as the transaction sees them. */
export async function readFacts(
  from: Pick<Database, 'query'>,
  range: FactRange,
  limit: number,
): Promise<CreditedFact[]> {
  const { organizationId, from: first, after, until } = range;
  return from.query(page, [organizationId, first, after, until, limit]);
}

/** Forgets messages. @returns what was known of them */
export async function removeFacts(
  tx: Transaction,
  organizationId: string,
  facts: readonly KnownFact[],
): Promise<CreditedFact[]> {
  return facts.length === 0 ? [] : tx.query(remove, [organizationId, facts.map(({ id }) => id)]);
}
