import { Injectable } from '@nestjs/common';
import type { ListMessagesRequest } from '@switchboard/contracts/messaging/rpc';
import { Database, statement } from '@switchboard/postgres';
import type { MessageRow } from '../message/message-view.js';

/**
 * Newest first by id. The partitions are ranges of ids, so the server reads them one after the other from the newest one
 * and stops when the page is full: what is old costs nothing.
 *
 * Organization and conversation are compared as the one key of the index `message_page`: compared one by one, the planner
 * may walk through the organization's messages by primary key. `conversation_id > ''` is true of every row and is what
 * keeps look-ups by id from being planned with that index. Source: docs/adr/0017-lists.md
 */
const pageSql = statement<MessageRow>(
  'messaging.message.page',
  `SELECT m.id, m.conversation_id AS "conversationId", m.contact_id AS "contactId", m.channel_id AS "channelId",
     m.direction, m.type, m.unsupported_type AS "unsupportedType", m.text, m.template,
     m.client_reference AS "clientReference", m.metadata, m.job_id AS "jobId", m.recipient_index AS "recipientIndex", m.status,
     m.upstream_message_id AS "upstreamMessageId", m.error_code AS "errorCode", m.error_message AS "errorMessage",
     m.attempted_at AS "attemptedAt", m.sent_at AS "sentAt", m.delivered_at AS "deliveredAt", m.read_at AS "readAt",
     m.failed_at AS "failedAt", m.traceparent
   FROM message m
   WHERE m.organization_id || ' ' || m.conversation_id = $1 || ' ' || $2 AND m.conversation_id > '' AND m.id < $3
   ORDER BY m.id DESC LIMIT $4`,
);
/** Sorts after every id. */
const FIRST_PAGE = 'd';

/** Pages of a conversation's messages. */
@Injectable()
export class MessagePageRepository {
  constructor(private readonly database: Database) {}

  /** At most `limit` messages behind the cursor, newest first. */
  async list(organizationId: string, request: ListMessagesRequest, limit: number): Promise<MessageRow[]> {
    const { conversationId, cursor } = request;
    return this.database.query(pageSql, [organizationId, conversationId, cursor ?? FIRST_PAGE, limit]);
  }
}
