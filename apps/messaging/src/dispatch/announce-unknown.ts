import { messageOutcomeUnknown } from '@switchboard/contracts/messaging/bulk-events';
import { appendEvents } from '@switchboard/outbox';
import { statement, type Transaction, unnestColumns } from '@switchboard/postgres';
import type { MessageKey } from '../message/lock-messages.js';

const ofJobsSql = statement<MessageKey & { jobId: string; recipientIndex: number }>(
  'messaging.message.of-jobs',
  `SELECT m.organization_id AS "organizationId", m.id AS "messageId", m.job_id AS "jobId",
     m.recipient_index AS "recipientIndex"
   FROM unnest($1::text[], $2::text[]) AS g(organization_id, id)
   JOIN message m ON m.organization_id = g.organization_id AND m.id = g.id
   WHERE m.job_id IS NOT NULL AND m.recipient_index IS NOT NULL AND m.status = 'QUEUED'`,
);

/** Announces of those messages that are a job's that it is not known whether they were taken. */
export async function announceUnknown(tx: Transaction, messages: readonly MessageKey[]): Promise<void> {
  if (messages.length === 0) return;
  const ofJobs = await tx.query(ofJobsSql, unnestColumns(messages, ['organizationId', 'messageId']));
  const occurredAt = new Date();
  appendEvents(
    tx,
    ofJobs.map(({ organizationId, ...data }) => ({
      event: messageOutcomeUnknown,
      organizationId,
      aggregateId: data.messageId,
      sequence: null,
      occurredAt,
      data,
      traceparent: null,
    })),
  );
}
