import { Injectable } from '@nestjs/common';
import { Database, statement } from '@switchboard/postgres';
import type { Message } from '../message/message.entity.js';

/** What is counted of a stored message, with the number of its conversation's last event. */
export type CountedRow = Pick<
  Message,
  | 'id'
  | 'channelId'
  | 'contactId'
  | 'direction'
  | 'template'
  | 'status'
  | 'errorCode'
  | 'errorMessage'
  | 'attemptedAt'
  | 'sentAt'
  | 'deliveredAt'
  | 'readAt'
  | 'failedAt'
> & { readonly eventSequence: string };

/**
 * Along the primary key, partition by partition; the page is cut before conversations are looked up. One statement, so that
 * a message and the number of its conversation are of the same moment: they change in the same transactions.
 */
const pageSql = statement<CountedRow>(
  'messaging.message.counted-page',
  `SELECT m.id, m.channel_id AS "channelId", m.contact_id AS "contactId", m.direction, m.template, m.status,
     m.error_code AS "errorCode", m.error_message AS "errorMessage", m.attempted_at AS "attemptedAt",
     m.sent_at AS "sentAt", m.delivered_at AS "deliveredAt", m.read_at AS "readAt", m.failed_at AS "failedAt",
     c.event_sequence AS "eventSequence"
   FROM (SELECT * FROM message WHERE organization_id = $1 AND id > $2 ORDER BY id LIMIT $3) AS m
   JOIN conversation c ON c.organization_id = m.organization_id AND c.id = m.conversation_id
   ORDER BY m.id`,
);

const floorSql = statement<{ keptFrom: string }>(
  'messaging.message-floor.find',
  'SELECT kept_from AS "keptFrom" FROM message_floor',
);

/** Reads messages for those who count them. */
@Injectable()
export class CountedPageRepository {
  constructor(private readonly database: Database) {}

  /** At most `limit` messages behind the id, oldest first. */
  async list(organizationId: string, after: string | null, limit: number): Promise<CountedRow[]> {
    return this.database.query(pageSql, [organizationId, after ?? '', limit]);
  }

  /** The beginning of ids from which on every message is kept. */
  async keptFrom(): Promise<string | undefined> {
    const [row] = await this.database.query(floorSql, []);
    return row?.keptFrom;
  }
}
