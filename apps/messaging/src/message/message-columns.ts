/** What `messageView` takes of a row `m` of `message`, as a select list. */
export const messageColumns = `m.id, m.conversation_id AS "conversationId", m.contact_id AS "contactId",
     m.channel_id AS "channelId", m.direction, m.type, m.unsupported_type AS "unsupportedType", m.text, m.template,
     m.client_reference AS "clientReference", m.metadata, m.job_id AS "jobId", m.recipient_index AS "recipientIndex",
     m.status, m.upstream_message_id AS "upstreamMessageId", m.error_code AS "errorCode",
     m.error_message AS "errorMessage", m.attempted_at AS "attemptedAt", m.sent_at AS "sentAt",
     m.delivered_at AS "deliveredAt", m.read_at AS "readAt", m.failed_at AS "failedAt", m.traceparent`;

/** Sorts after every id. */
export const AFTER_EVERY_ID = 'd';
