import { Injectable } from '@nestjs/common';
import type { ListConversationsRequest } from '@switchboard/contracts/messaging/rpc';
import { Database, statement } from '@switchboard/postgres';
import { conversationColumns, type ConversationRow } from './conversation-view.js';

/** A row of a list, with its place in the order. */
export interface ListedConversation extends ConversationRow {
  readonly position: string;
}

/** A page in the order of `position`, newest first; one index per filter, one `<` for the cursor. */
const listSql = statement<ListedConversation>(
  'messaging.conversation.list',
  `SELECT ${conversationColumns}, c.position
   FROM conversation c JOIN contact p ON p.organization_id = c.organization_id AND p.id = c.contact_id
   WHERE c.organization_id = $1 AND c.position < $2
     AND ($4::text IS NULL OR c.channel_id = $4) AND ($5::text IS NULL OR c.contact_id = $5)
   ORDER BY c.position DESC LIMIT $3`,
);
const listByStatusSql = statement<ListedConversation>(
  'messaging.conversation.list-status',
  listSql.text.replace('ORDER BY', 'AND c.status = $6 ORDER BY'),
);
const findSql = statement<ConversationRow>(
  'messaging.conversation.find',
  `SELECT ${conversationColumns}
   FROM conversation c JOIN contact p ON p.organization_id = c.organization_id AND p.id = c.contact_id
   WHERE c.organization_id = $1 AND c.id = $2`,
);
/** Sorts after every position. */
const FIRST_PAGE = 'd';

/** Plain reads of conversations: one per channel and contact. */
@Injectable()
export class ConversationRepository {
  constructor(private readonly database: Database) {}

  /** At most `limit` rows behind the cursor, newest first. */
  async list(organizationId: string, request: ListConversationsRequest, limit: number): Promise<ListedConversation[]> {
    const { cursor, messagingChannelId, contactId, status } = request;
    const values = [organizationId, cursor ?? FIRST_PAGE, limit, messagingChannelId, contactId];
    if (status === null) return this.database.query(listSql, values);
    return this.database.query(listByStatusSql, [...values, status]);
  }

  /** The conversation of that organization; null when it has none of that id. */
  async find(organizationId: string, id: string): Promise<ConversationRow | null> {
    const [row] = await this.database.query(findSql, [organizationId, id]);
    return row ?? null;
  }
}
