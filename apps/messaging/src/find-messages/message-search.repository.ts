import { Injectable } from '@nestjs/common';
import { cuidFloor } from '@switchboard/contracts/grammar/cuid';
import { messageStatuses, type MessageStatus } from '@switchboard/contracts/messaging/message-facts';
import type { FindMessagesRequest } from '@switchboard/contracts/messaging/rpc';
import { Database, statement } from '@switchboard/postgres';
import { AFTER_EVERY_ID, messageColumns } from '../message/message-columns.js';
import type { MessageRow } from '../message/message-view.js';

/**
 * Every list is a walk along one index, newest first, through partitions that are read one after the other, until the page
 * is full. The filter that leaves the fewest messages chooses the walk; the others are checked along it. Keys are compared
 * as the one text that their index has, and its condition is stated, so that the planner has no choice.
 * Source: docs/adr/0017-lists.md
 */
const WITHIN = 'm.id < $2 AND m.id >= $3';
const CHECKED = `($5::text IS NULL OR m.status = $5) AND ($6::text IS NULL OR m.direction = $6)
     AND ($7::text IS NULL OR m.channel_id = $7) AND ($8::text IS NULL OR m.contact_id = $8)
     AND ($9::text IS NULL OR m.conversation_id = $9) AND ($10::text IS NULL OR m.job_id = $10)
     AND ($11::text IS NULL OR m.client_reference = $11)`;
const NEWEST = 'ORDER BY m.id DESC LIMIT $4';
/** Parameter 12 is part of every call; where it is not walked by, it is named, so that it has a type. */
const ANY_STATUS = '$12::text[] IS NOT NULL';

const ofAllSql = statement<MessageRow>(
  'messaging.message.find',
  `SELECT ${messageColumns} FROM message m
   WHERE m.organization_id = $1 AND ${WITHIN} AND ${CHECKED} AND ${ANY_STATUS} ${NEWEST}`,
);
const ofConversationSql = statement<MessageRow>(
  'messaging.message.find-of-conversation',
  `SELECT ${messageColumns} FROM message m
   WHERE m.organization_id || ' ' || m.conversation_id = $1 || ' ' || $9 AND m.conversation_id > '' AND ${WITHIN}
     AND ${CHECKED} AND ${ANY_STATUS} ${NEWEST}`,
);
const ofReferenceSql = statement<MessageRow>(
  'messaging.message.find-of-reference',
  `SELECT ${messageColumns} FROM message m
   WHERE m.organization_id || ' ' || m.client_reference = $1 || ' ' || $11 AND m.client_reference > '' AND ${WITHIN}
     AND ${CHECKED} AND ${ANY_STATUS} ${NEWEST}`,
);
/** A contact has one conversation for each channel at most: each is found by the unique index, and all are merged. */
const ofContactSql = statement<MessageRow>(
  'messaging.message.find-of-contact',
  `SELECT ${messageColumns}
   FROM channel ch
   CROSS JOIN LATERAL (SELECT one.id FROM conversation one
     WHERE one.organization_id = ch.organization_id AND one.channel_id = ch.id AND one.contact_id = $8 LIMIT 1) AS c
   CROSS JOIN LATERAL (SELECT * FROM message m
     WHERE m.organization_id || ' ' || m.conversation_id = ch.organization_id || ' ' || c.id AND m.conversation_id > ''
       AND ${WITHIN} AND ${CHECKED} ${NEWEST}) AS m
   WHERE ch.organization_id = $1 AND ($7::text IS NULL OR ch.id = $7) AND ${ANY_STATUS} ${NEWEST}`,
);
/** A branch for each status asked for, merged. */
const ofJobSql = statement<MessageRow>(
  'messaging.message.find-of-job',
  `SELECT ${messageColumns}
   FROM unnest($12::text[]) AS asked(status)
   CROSS JOIN LATERAL (SELECT * FROM message m
     WHERE m.organization_id || ' ' || m.job_id || ' ' || m.status = $1 || ' ' || $10 || ' ' || asked.status
       AND m.job_id > '' AND ${WITHIN} AND ${CHECKED} ${NEWEST}) AS m
   ${NEWEST}`,
);
/** A branch for each channel and status asked for, merged. */
const ofBranchesSql = statement<MessageRow>(
  'messaging.message.find-branches',
  `SELECT ${messageColumns}
   FROM channel ch
   CROSS JOIN unnest($12::text[]) AS asked(status)
   CROSS JOIN LATERAL (SELECT * FROM message m
     WHERE m.organization_id || ' ' || m.channel_id || ' ' || m.status
         = ch.organization_id || ' ' || ch.id || ' ' || asked.status
       AND m.channel_id > '' AND ${WITHIN} AND ${CHECKED} ${NEWEST}) AS m
   WHERE ch.organization_id = $1 AND ($7::text IS NULL OR ch.id = $7) ${NEWEST}`,
);

/** Pages of an organization's messages, by any filters. */
@Injectable()
export class MessageSearchRepository {
  constructor(private readonly database: Database) {}

  /** At most `limit` messages behind the cursor, newest first. */
  async find(organizationId: string, request: FindMessagesRequest, limit: number): Promise<MessageRow[]> {
    const { status, direction, messagingChannelId, contactId, conversationId, jobId, clientReference } = request;
    const statuses = statusesOf(request);
    if (statuses.length === 0) return [];
    const page = [organizationId, upperOf(request), floorOf(request.createdFrom) ?? '', limit];
    const filters = [status, direction, messagingChannelId, contactId, conversationId, jobId, clientReference];
    return this.database.query(walkOf(request), [...page, ...filters, statuses]);
  }
}

function walkOf(request: FindMessagesRequest): typeof ofAllSql {
  if (request.conversationId !== null) return ofConversationSql;
  if (request.contactId !== null) return ofContactSql;
  if (request.clientReference !== null) return ofReferenceSql;
  if (request.jobId !== null) return ofJobSql;
  const { status, direction, messagingChannelId } = request;
  return status === null && direction === null && messagingChannelId === null ? ofAllSql : ofBranchesSql;
}

/** Inbound messages are RECEIVED, and no others are. */
function statusesOf({ status, direction }: FindMessagesRequest): MessageStatus[] {
  const possible = messageStatuses.filter(
    (one) => direction === null || (one === 'RECEIVED') === (direction === 'INBOUND'),
  );
  return status === null ? possible : possible.filter((one) => one === status);
}

/** The first of the ids that are too new, by cursor and time. */
function upperOf({ cursor, createdBefore }: FindMessagesRequest): string {
  const bounds = [cursor, floorOf(createdBefore), AFTER_EVERY_ID].filter((bound) => bound !== null);
  return bounds.reduce((least, bound) => (bound < least ? bound : least));
}

/** Below every id of that time and later, above every earlier one. */
function floorOf(time: string | null): string | null {
  return time === null ? null : cuidFloor(new Date(time));
}
