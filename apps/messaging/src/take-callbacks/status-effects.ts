import type { MessageTemplate } from '@switchboard/contracts/messaging/message-facts';
import { statement, unnestColumns, type Queryable } from '@switchboard/postgres';
import type { HoldTarget } from '../bulk-lane/lane.repository.js';
import { messageIdsOf, type StatusReport } from '../callback/take-statuses.js';
import type { AnsweredAttempt } from '../dispatch/announce-refused-templates.js';
import { laneConsequenceOf } from '../dispatch/lane-consequences.policy.js';
import { isAssumed } from '../message/message-progress.policy.js';
import type { UpstreamOutcome } from '../upstream/upstream.js';

/** A status that reports why bulk sends have to wait. */
export interface RefusingStatus extends StatusReport {
  readonly at: Date;
  readonly refusal: UpstreamOutcome;
}

/** What statuses mean for more than their messages. */
export interface StatusEffects {
  readonly holds: readonly HoldTarget[];
  /** As answers to the sends: what is announced of their templates. */
  readonly answers: readonly AnsweredAttempt[];
}

interface ReportedMessage {
  readonly organizationId: string;
  readonly messageId: string;
  readonly jobId: string | null;
  readonly template: MessageTemplate | null;
  /** Of the failure that is known. */
  readonly errorCode: string | null;
}

const NONE: StatusEffects = { holds: [], answers: [] };
const findSql = statement<ReportedMessage>(
  'messaging.message.find-reported',
  `SELECT m.organization_id AS "organizationId", m.id AS "messageId", m.job_id AS "jobId", m.template, m.error_code AS "errorCode"
   FROM unnest($1::text[], $2::text[]) AS given(organization_id, id)
   JOIN message m ON m.organization_id = given.organization_id AND m.id = given.id`,
);

/**
 * What statuses hold: every open lane of their channel, or that of the job. The failure of a message is reported once and again: what it
 * held the first time may have been resumed since.
 */
export async function effectsOf(through: Queryable, statuses: readonly RefusingStatus[]): Promise<StatusEffects> {
  if (statuses.length === 0) return NONE;
  const messageIds = await messageIdsOf(through, statuses);
  const keys = [...messageIds].map(([{ organizationId }, messageId]) => ({ organizationId, messageId }));
  const found = await through.query(findSql, unnestColumns(keys, ['organizationId', 'messageId']));
  const messages = new Map(found.map((message) => [`${message.organizationId} ${message.messageId}`, message]));
  const news = statuses
    .map((status) => ({ status, message: messages.get(`${status.organizationId} ${messageIds.get(status) ?? ''}`) }))
    .filter(({ message }) => !message?.errorCode || isAssumed(message.errorCode));
  return {
    holds: news.flatMap(({ status, message }) => holdOf(status, message)),
    answers: news.flatMap(({ status, message }) => (message ? [answerOf(status, message)] : [])),
  };
}

function holdOf({ organizationId, channelId, refusal }: RefusingStatus, message?: ReportedMessage): HoldTarget[] {
  const { hold } = laneConsequenceOf(refusal);
  if (!hold) return [];
  const { whose, reason } = hold;
  if (whose === 'channel') return [{ organizationId, channelId, jobId: null, reason }];
  return message?.jobId ? [{ organizationId, channelId, jobId: message.jobId, reason }] : [];
}

function answerOf(status: RefusingStatus, { template }: ReportedMessage): AnsweredAttempt {
  const { organizationId, channelId, refusal: outcome, at: knownAt, traceparent } = status;
  return { attempt: { organizationId, channelId, template }, outcome, knownAt, traceparent };
}
