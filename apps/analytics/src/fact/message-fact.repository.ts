import { statement, type Transaction, unnestColumns } from '@switchboard/postgres';
import type { MessageFact } from './message-fact.js';

/** A fact that was stored, and what was known of the message before. */
export interface FactChange {
  readonly before: MessageFact | null;
  readonly after: MessageFact;
}

/** Times as Unix milliseconds, which cost a third of what dates cost to read. What the caller gave is not handed back. */
type Row = Pick<MessageFact, 'organizationId' | 'id' | 'channelId' | 'contactId' | 'isInbound' | 'templateId'> & {
  readonly formerVersion: string | null;
  readonly formerStage: number;
  readonly wasFailed: boolean;
  readonly formerErrorCode: string | null;
  readonly formerSentMs: number | null;
  readonly formerDeliveredMs: number | null;
  readonly formerReadMs: number | null;
};

/** One statement writes and says what was there, so that two replicas with events of one message never count it twice. */
const storedWhere = (condition: string): string =>
  `INSERT INTO message_fact AS known (organization_id, id, channel_id, contact_id, is_inbound, template_id, version, stage,
     is_failed, error_code, sent_at, delivered_at, read_at)
   SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::boolean[], $6::text[], $7::bigint[],
     $8::smallint[], $9::boolean[], $10::text[], $11::timestamptz[], $12::timestamptz[], $13::timestamptz[])
   ORDER BY 1, 2
   ON CONFLICT (organization_id, id) DO UPDATE SET version = excluded.version, stage = excluded.stage,
     is_failed = excluded.is_failed, error_code = excluded.error_code, sent_at = excluded.sent_at,
     delivered_at = excluded.delivered_at, read_at = excluded.read_at
   WHERE ${condition}
   RETURNING new.organization_id AS "organizationId", new.id, new.channel_id AS "channelId", new.contact_id AS "contactId",
     new.is_inbound AS "isInbound", new.template_id AS "templateId", old.version AS "formerVersion",
     old.stage AS "formerStage", old.is_failed AS "wasFailed", old.error_code AS "formerErrorCode",
     (extract(epoch FROM old.sent_at) * 1000)::float8 AS "formerSentMs",
     (extract(epoch FROM old.delivered_at) * 1000)::float8 AS "formerDeliveredMs",
     (extract(epoch FROM old.read_at) * 1000)::float8 AS "formerReadMs"`;
const merge = statement<Row>('analytics.message-fact.merge', storedWhere('known.version < excluded.version'));
/** The version rises where nothing else changes: else an older event that is still under way would win. */
const settle = statement<Row>(
  'analytics.message-fact.settle',
  storedWhere(`known.version < excluded.version OR known.version = excluded.version
     AND (known.stage, known.is_failed, known.error_code, known.sent_at, known.delivered_at, known.read_at)
       IS DISTINCT FROM (excluded.stage, excluded.is_failed, excluded.error_code, excluded.sent_at,
         excluded.delivered_at, excluded.read_at)`),
);

/**
 * Stores facts that are newer than what is known of their messages.
 *
 * @param facts one of each message
 * @returns what changed; nothing for a fact that is known, or older than what is
 */
export async function mergeFacts(tx: Transaction, facts: readonly MessageFact[]): Promise<FactChange[]> {
  return changesOf(facts, await tx.query(merge, columnsOf(facts)));
}

/**
 * Stores facts that their source vouches for: what is known and no newer gives way, also where it is of the same version.
 *
 * @param facts one of each message
 * @returns what was stored; nothing for a fact that is known
 */
export async function settleFacts(tx: Transaction, facts: readonly MessageFact[]): Promise<FactChange[]> {
  return changesOf(facts, await tx.query(settle, columnsOf(facts)));
}

function columnsOf(facts: readonly MessageFact[]): unknown[][] {
  return unnestColumns(facts, [
    'organizationId',
    'id',
    'channelId',
    'contactId',
    'isInbound',
    'templateId',
    'version',
    'stage',
    'isFailed',
    'errorCode',
    ({ sentAt }) => sentAt?.toISOString() ?? null,
    ({ deliveredAt }) => deliveredAt?.toISOString() ?? null,
    ({ readAt }) => readAt?.toISOString() ?? null,
  ]);
}

function changesOf(facts: readonly MessageFact[], rows: readonly Row[]): FactChange[] {
  const given = new Map(facts.map((fact) => [`${fact.organizationId} ${fact.id}`, fact]));
  return rows.map((row) => {
    const fact = given.get(`${row.organizationId} ${row.id}`);
    if (!fact) throw new Error('a fact was stored that was not given');
    return changeOf(fact, row);
  });
}

/** What of a message never changes is as it was stored first. */
function changeOf(fact: MessageFact, row: Row): FactChange {
  const { channelId, contactId, isInbound, templateId } = row;
  const after: MessageFact = { ...fact, channelId, contactId, isInbound, templateId };
  if (row.formerVersion === null) return { before: null, after };
  const before: MessageFact = {
    ...after,
    version: Number(row.formerVersion),
    stage: row.formerStage,
    isFailed: row.wasFailed,
    errorCode: row.formerErrorCode,
    sentAt: dateOf(row.formerSentMs),
    deliveredAt: dateOf(row.formerDeliveredMs),
    readAt: dateOf(row.formerReadMs),
  };
  return { before, after };
}

function dateOf(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}
