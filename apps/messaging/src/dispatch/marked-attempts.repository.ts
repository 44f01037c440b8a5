import type { ContactFacts } from '@switchboard/contracts/contacts/rpc';
import { statement, type Queryable } from '@switchboard/postgres';
import type { ChannelKey, LaneKey } from '../bulk-lane/lane.entity.js';
import { ARRIVE_WITHIN_MS, LEASE_MS } from './dispatch.entity.js';

/** Whom attempts are looked for by: contacts, whatever number they go to, and numbers, whosesoever they were. */
export interface Recipient {
  readonly organizationId: string;
  /** A contact and those that were merged into it. */
  readonly contactIds: readonly string[];
  readonly phoneForms: ContactFacts['phoneForms'];
  /** `*`: all channels. */
  readonly channelIds: readonly string[];
}

const MARK_AGE_S = (LEASE_MS - ARRIVE_WITHIN_MS) / 1_000;
/** A mark's time is `due_at` less the lease. Index `dispatch_due` finds the marks of the last seconds, of all tenants. */
const MAY_ARRIVE = `state = 'DISPATCHING' AND due_at > now() + make_interval(secs => ${MARK_AGE_S})`;
const pendingSql = statement<{ messageId: string }>(
  'messaging.dispatch.pending-of-contact',
  `SELECT message_id AS "messageId" FROM dispatch
   WHERE ${MAY_ARRIVE} AND organization_id = $1 AND (contact_id = ANY ($2::text[]) OR recipient_phone = ANY ($4::text[]))
     AND ('*' = ANY ($3::text[]) OR channel_id = ANY ($3))`,
);
/** As `pendingSql`, of a bulk send. */
const pendingOfJobSql = statement<{ messageId: string }>(
  'messaging.dispatch.pending-of-job',
  `SELECT message_id AS "messageId" FROM dispatch
   WHERE ${MAY_ARRIVE} AND organization_id = $1 AND job_id = $2`,
);

/** As `pendingSql`, of a channel. */
const pendingOfChannelSql = statement<{ messageId: string }>(
  'messaging.dispatch.pending-of-channel',
  `SELECT message_id AS "messageId" FROM dispatch
   WHERE ${MAY_ARRIVE} AND organization_id = $1 AND channel_id = $2`,
);

/**
 * Messages to a contact, or to a number of its, on some channels (`*`: on all) whose attempt was marked before and may
 * still reach the upstream.
 *
 * Whoever commits a suppression under the contact's lock and its phones' (`lockContacts`, `lockPhones`) and asks afterwards
 * sees every mark that did not see the suppression: the marks' transactions hold a contact and a phone as well. When they
 * have left this list, which they do `ARRIVE_WITHIN_MS` after their mark at the latest, no such send begins any more.
 */
export async function markedAttempts(
  through: Queryable,
  { organizationId, contactIds, phoneForms, channelIds }: Recipient,
): Promise<string[]> {
  const pending = await through.query(pendingSql, [organizationId, contactIds, channelIds, phoneForms]);
  return pending.map(({ messageId }) => messageId);
}

/**
 * Messages of a bulk send whose attempt was marked before and may still reach the upstream: asked for behind the COMMIT that
 * stopped the lane, under whose lock marks are made, they are the last.
 */
export async function markedAttemptsOfLane(through: Queryable, { organizationId, jobId }: LaneKey): Promise<string[]> {
  return (await through.query(pendingOfJobSql, [organizationId, jobId])).map(({ messageId }) => messageId);
}

/** Messages on a channel whose attempt is marked and may still reach the upstream. */
export async function markedAttemptsOfChannel(
  through: Queryable,
  { organizationId, channelId }: ChannelKey,
): Promise<string[]> {
  return (await through.query(pendingOfChannelSql, [organizationId, channelId])).map(({ messageId }) => messageId);
}
