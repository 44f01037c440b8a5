import { Injectable } from '@nestjs/common';
import { conversationStatuses } from '@switchboard/contracts/messaging/http';
import type { ListConversationsRequest } from '@switchboard/contracts/messaging/rpc';
import { Database, statement } from '@switchboard/postgres';
import { conversationColumns, type ConversationRow } from './conversation-view.js';

/** A row of a list, with its place in the order. */
export interface ListedConversation extends ConversationRow {
  readonly position: string;
}

/** Sorts after every position. */
const FIRST_PAGE = 'd';

/** All conversations, in the order of the index on `position`, from the cursor on. */
const listSql = statement<ListedConversation>(
  'messaging.conversation.list',
  `SELECT ${conversationColumns}, c.position
   FROM conversation c JOIN contact p ON p.organization_id = c.organization_id AND p.id = c.contact_id
   WHERE c.organization_id = $1 AND c.position < $2
   ORDER BY c.position DESC LIMIT $3`,
);
/**
 * By status, by channel, or both: an ordered branch for each channel and status, merged. A branch is compared as the one
 * key of the index `conversation_branch`: part by part, the planner may walk through all conversations of the organization
 * by `conversation_position`. Source: docs/adr/0017-lists.md
 */
const listBranchesSql = statement<ListedConversation>(
  'messaging.conversation.list-branches',
  `SELECT ${conversationColumns}, c.position
   FROM (SELECT branch.* FROM channel ch
     CROSS JOIN unnest($4::text[]) AS asked(status)
     CROSS JOIN LATERAL (SELECT * FROM conversation b
       WHERE b.organization_id || ' ' || b.channel_id || ' ' || b.status
           = ch.organization_id || ' ' || ch.id || ' ' || asked.status
         AND b.position < $2
       ORDER BY b.position DESC LIMIT $3) AS branch
     WHERE ch.organization_id = $1 AND ($5::text IS NULL OR ch.id = $5)
     ORDER BY branch.position DESC LIMIT $3) AS c
   JOIN contact p ON p.organization_id = c.organization_id AND p.id = c.contact_id
   ORDER BY c.position DESC`,
);
/** Those of a contact: one at most for each channel, each a probe of the unique index. */
const listOfContactSql = statement<ListedConversation>(
  'messaging.conversation.list-contact',
  `SELECT ${conversationColumns}, c.position
   FROM channel ch
   CROSS JOIN LATERAL (SELECT * FROM conversation one
     WHERE one.organization_id = ch.organization_id AND one.channel_id = ch.id AND one.contact_id = $6 LIMIT 1) AS c
   JOIN contact p ON p.organization_id = c.organization_id AND p.id = c.contact_id
   WHERE ch.organization_id = $1 AND ($5::text IS NULL OR ch.id = $5) AND c.status = ANY($4::text[]) AND c.position < $2
   ORDER BY c.position DESC LIMIT $3`,
);
const findSql = statement<ConversationRow>(
  'messaging.conversation.find',
  `SELECT ${conversationColumns}
   FROM conversation c JOIN contact p ON p.organization_id = c.organization_id AND p.id = c.contact_id
   WHERE c.organization_id = $1 AND c.id = $2`,
);

/** Plain reads of conversations: one per channel and contact. */
@Injectable()
export class ConversationRepository {
  constructor(private readonly database: Database) {}

  /** At most `limit` rows behind the cursor, newest first. */
  async list(organizationId: string, request: ListConversationsRequest, limit: number): Promise<ListedConversation[]> {
    const { cursor, messagingChannelId, contactId, status } = request;
    const page = [organizationId, cursor ?? FIRST_PAGE, limit];
    if (contactId === null && messagingChannelId === null && status === null) return this.database.query(listSql, page);
    const filtered = [...page, status === null ? conversationStatuses : [status], messagingChannelId];
    if (contactId === null) return this.database.query(listBranchesSql, filtered);
    return this.database.query(listOfContactSql, [...filtered, contactId]);
  }

  /** The conversation of that organization; null when it has none of that id. */
  async find(organizationId: string, id: string): Promise<ConversationRow | null> {
    const [row] = await this.database.query(findSql, [organizationId, id]);
    return row ?? null;
  }
}
