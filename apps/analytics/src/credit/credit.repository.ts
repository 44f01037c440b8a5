import { createHash } from 'node:crypto';
import { statement, type Transaction, unnestColumns } from '@switchboard/postgres';

/** A contact whose templates may be credited with something else than before. */
export interface TouchedContact {
  readonly organizationId: string;
  readonly channelId: string;
  readonly contactId: string;
  /** When a template was sent to it, or was said to have been before, or it wrote or opted out. */
  readonly at: Date;
}

/** A message that was credited, or ceased to be, with a reply or an opt-out. */
export interface CreditChange {
  readonly organizationId: string;
  readonly id: string;
  readonly channelId: string;
  readonly templateId: string;
  readonly wasReplied: boolean;
  readonly isReplied: boolean;
  readonly wasOptedOut: boolean;
  readonly isOptedOut: boolean;
}

/** Contacts share so many locks: few enough for the server's table of locks, enough to pass one another. */
const LOCKS = 512;

const lock = statement(
  'analytics.attribution.lock',
  `SELECT pg_advisory_xact_lock(hashtext('analytics.attribution'), key)
   FROM (SELECT key FROM unnest($1::int[]) AS key ORDER BY key) AS sorted`,
);
/**
 * A message is credited from its sending to the next template of the contact on the channel, 72 hours at most. What was sent
 * before that, or after the last that touches, cannot be touched: it is not read, but for what ends the credit of another. Nor can
 * what ends before the first that touches: replies are looked for in the windows that reach it alone, however much was sent. A
 * template ends the window before it, so that one that comes, goes or moves leaves that window reaching to it, or beyond.
 * Ids are at most two days older than their sending, and by wrong clocks at most one day newer. The ids between which is looked
 * are made once for each contact, and for each window: in a condition `cuid_floor` runs for each partition.
 */
const credit = statement<CreditChange>(
  'analytics.attribution.credit',
  `WITH touched AS MATERIALIZED (
     SELECT organization_id, channel_id, contact_id, min(at) - interval '72 hours' AS since, min(at) AS first, max(at) AS last,
       cuid_floor(min(at) - interval '120 hours') COLLATE "C" AS from_id,
       cuid_floor(max(at) + interval '96 hours') COLLATE "C" AS until_id
     FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[]) AS t(organization_id, channel_id, contact_id, at)
     GROUP BY 1, 2, 3),
   sends AS MATERIALIZED (
     SELECT m.organization_id, m.id, m.channel_id, m.contact_id, m.sent_at, t.first, t.last, least(m.sent_at + interval '72 hours',
       lead(m.sent_at) OVER (PARTITION BY m.organization_id, m.channel_id, m.contact_id ORDER BY m.sent_at, m.id)) AS until
     FROM touched AS t JOIN message_fact AS m ON m.organization_id = t.organization_id AND m.channel_id = t.channel_id
       AND m.contact_id = t.contact_id AND m.id >= t.from_id AND m.id < t.until_id AND m.template_id IS NOT NULL AND m.sent_at >= t.since),
   reached AS MATERIALIZED (
     SELECT *, cuid_floor(sent_at) COLLATE "C" AS from_id, cuid_floor(until) COLLATE "C" AS until_id
     FROM sends WHERE sent_at <= last AND until >= first),
   credits AS MATERIALIZED (
     SELECT s.organization_id, s.id,
       EXISTS (SELECT FROM message_fact AS r WHERE r.organization_id = s.organization_id AND r.channel_id = s.channel_id
         AND r.contact_id = s.contact_id AND r.is_inbound AND r.id >= s.from_id AND r.id < s.until_id)
         AS is_replied,
       EXISTS (SELECT FROM opt_out_fact AS o WHERE o.organization_id = s.organization_id AND o.channel_id = s.channel_id
         AND o.contact_id = s.contact_id AND o.created_at >= s.sent_at AND o.created_at < s.until) AS is_opted_out
     FROM reached AS s)
   UPDATE message_fact AS m SET is_replied = c.is_replied, is_opted_out = c.is_opted_out FROM credits AS c
   WHERE m.organization_id = c.organization_id AND m.id = c.id
     AND (m.is_replied, m.is_opted_out) IS DISTINCT FROM (c.is_replied, c.is_opted_out)
   RETURNING new.organization_id AS "organizationId", new.id, new.channel_id AS "channelId",
     new.template_id AS "templateId", old.is_replied AS "wasReplied", new.is_replied AS "isReplied",
     old.is_opted_out AS "wasOptedOut", new.is_opted_out AS "isOptedOut"`,
);

/**
 * Holds contacts until the transaction ends, so that of two replicas with facts of one contact the second sees those of the
 * first. To be called before any of their facts is stored.
 */
export async function lockContacts(tx: Transaction, contacts: readonly Omit<TouchedContact, 'at'>[]): Promise<void> {
  if (contacts.length === 0) return;
  await tx.query(lock, [[...new Set(contacts.map(lockOf))]]);
}

/** Credits templates with what their contacts did after them. @returns the messages whose credit changed */
export async function creditTemplates(tx: Transaction, touched: readonly TouchedContact[]): Promise<CreditChange[]> {
  if (touched.length === 0) return [];
  return tx.query(credit, unnestColumns(touched, ['organizationId', 'channelId', 'contactId', 'at']));
}

function lockOf({ organizationId, channelId, contactId }: Omit<TouchedContact, 'at'>): number {
  const hash = createHash('sha1').update(`${organizationId} ${channelId} ${contactId}`).digest();
  return hash.readUInt32BE(0) % LOCKS;
}
