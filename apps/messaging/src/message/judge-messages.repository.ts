import { statement, type Transaction, unnestColumns } from '@switchboard/postgres';
import type { Held } from '../contact/contact.repository.js';
import { hasEarlierRepeat, hasEarlierRetry } from '../dispatch/retry-order.js';
import { quotaMonthOf } from '../quota/quota.repository.js';

/** What is judged of a message. */
export interface JudgedMessage {
  readonly organizationId: string;
  readonly messageId: string;
  readonly channelId: string | null;
  readonly phone: string | null;
  /** Of a bulk send; absent for one that somebody waits for. */
  readonly jobId?: string;
}

/**
 * The first check that a message fails; `repeated`: it is stored already. The quota is allocated afterwards, to what passed
 * everything else (`allocate`).
 */
export type Verdict =
  | 'accepted'
  | 'repeated'
  | 'channel-not-found'
  | 'not-connected'
  | 'invalid-phone'
  | 'contact-unknown'
  | 'opted-out'
  | 'quota-used-up';

/** The facts that judge a message; columns of a missing channel or contact are null. */
export interface Candidate {
  readonly verdict: Verdict;
  readonly channelId: string;
  readonly phoneNumberId: string;
  readonly accessTokenSealed: Buffer;
  readonly contactId: string;
  readonly contactName: string | null;
  readonly contactPhone: string;
  readonly contactMessagingId: string;
  /** An earlier message of its conversation is still to be sent, or being sent again: it goes after it. */
  readonly waits: boolean;
  /** Of the quota of the message's month, by whoever has committed. */
  readonly quotaUsed: number;
}

const OF_ITEM = {
  organizationId: 'item.organization_id',
  channelId: 'ch.id',
  contactId: 'p.id',
  messageId: 'item.message_id',
};

/**
 * Everything a send needs to know, in one look: channel, contact, opt-out, quota. One row per item, in the order given;
 * LIMIT 1 keeps each look-up a probe of its primary key. A phone that its contact's version does not name has no owner. The
 * order of the verdicts is the order of checks.
 */
const judge = statement<Candidate>(
  'messaging.message.judge',
  `SELECT CASE
       WHEN old.id IS NOT NULL THEN 'repeated'
       WHEN ch.id IS NULL AND item.channel_id IS NOT NULL THEN 'channel-not-found'
       WHEN ch.id IS NULL OR ch.status <> 'CONNECTED' THEN 'not-connected'
       WHEN item.phone IS NULL THEN 'invalid-phone'
       WHEN p.id IS NULL THEN 'contact-unknown'
       WHEN EXISTS (SELECT FROM suppression s WHERE s.organization_id = item.organization_id
         AND s.contact_id = p.id AND s.channel_id IN (ch.id, '*')) THEN 'opted-out'
       ELSE 'accepted' END AS verdict,
     ch.id AS "channelId", ch.phone_number_id AS "phoneNumberId", ch.access_token_sealed AS "accessTokenSealed",
     p.id AS "contactId", p.name AS "contactName", p.phone AS "contactPhone",
     p.messaging_id AS "contactMessagingId",
     ${hasEarlierRetry(OF_ITEM)} OR item.job_id IS NULL AND ${hasEarlierRepeat(OF_ITEM)} AS waits,
     coalesce(q.used, 0)::float8 AS "quotaUsed"
   FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[]) WITH ORDINALITY
     AS item(organization_id, message_id, channel_id, phone, month, job_id, n)
   LEFT JOIN LATERAL (SELECT m.id FROM message m
     WHERE m.organization_id = item.organization_id AND m.id = item.message_id LIMIT 1) old ON true
   LEFT JOIN LATERAL (SELECT c.* FROM channel c WHERE c.organization_id = item.organization_id
     AND (c.id = item.channel_id OR (item.channel_id IS NULL AND c.is_default)) LIMIT 1) ch ON true
   LEFT JOIN LATERAL (SELECT f.contact_id, f.version FROM contact_phone f
     WHERE f.organization_id = item.organization_id AND f.phone = item.phone LIMIT 1) known ON true
   LEFT JOIN LATERAL (SELECT c.* FROM contact c
     WHERE c.organization_id = item.organization_id AND c.id = known.contact_id AND c.version = known.version LIMIT 1) p ON true
   LEFT JOIN LATERAL (SELECT u.used FROM quota u
     WHERE u.organization_id = item.organization_id AND u.month = item.month LIMIT 1) q ON true
   ORDER BY item.n`,
  { writesNothing: true },
);

/** Judges messages, in the order given. @returns a candidate for each */
export async function judgeMessages(tx: Transaction, messages: readonly JudgedMessage[]): Promise<Candidate[]> {
  return tx.query(
    judge,
    unnestColumns(messages, [
      'organizationId',
      'messageId',
      'channelId',
      'phone',
      ({ messageId }) => quotaMonthOf(messageId),
      ({ jobId }) => jobId ?? null,
    ]),
  );
}

/** A contact or phone that became known between the statements is not held: its sender repeats, as for an unknown one. */
export function unlessUnheld(
  candidate: Candidate,
  item: Pick<JudgedMessage, 'organizationId' | 'phone'> | undefined,
  held: Held,
): Candidate {
  if (candidate.verdict !== 'accepted') return candidate;
  const isHeld = item?.phone && held.contactIds.has(candidate.contactId) && held.has({ ...item, phone: item.phone });
  return isHeld ? candidate : { ...candidate, verdict: 'contact-unknown' };
}
