import { Injectable } from '@nestjs/common';
import type { ListMessagesRequest } from '@switchboard/contracts/messaging/rpc';
import { Database, statement } from '@switchboard/postgres';
import { AFTER_EVERY_ID, messageColumns } from '../message/message-columns.js';
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
  `SELECT ${messageColumns}
   FROM message m
   WHERE m.organization_id || ' ' || m.conversation_id = $1 || ' ' || $2 AND m.conversation_id > '' AND m.id < $3
   ORDER BY m.id DESC LIMIT $4`,
);

/** Pages of a conversation's messages. */
@Injectable()
export class MessagePageRepository {
  constructor(private readonly database: Database) {}

  /** At most `limit` messages behind the cursor, newest first. */
  async list(organizationId: string, request: ListMessagesRequest, limit: number): Promise<MessageRow[]> {
    const { conversationId, cursor } = request;
    return this.database.query(pageSql, [organizationId, conversationId, cursor ?? AFTER_EVERY_ID, limit]);
  }
}
