import { Injectable } from '@nestjs/common';
import { Database, statement, type Transaction, unnestColumns } from '@switchboard/postgres';
import { Message } from './message.entity.js';

const insertSql = statement(
  'messaging.message.insert',
  `INSERT INTO message (organization_id, id, conversation_id, contact_id, channel_id, direction, type,
     unsupported_type, text, status, upstream_message_id, traceparent, template, client_reference, metadata, job_id,
     recipient_index, attempted_at)
   SELECT m.*, CASE WHEN m.direction = 'OUTBOUND' THEN clock_timestamp() END
   FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
     $9::text[], $10::text[], $11::text[], $12::text[], $13::jsonb[], $14::text[], $15::jsonb[], $16::text[], $17::int[])
     AS m(organization_id, id, conversation_id, contact_id, channel_id, direction, type, unsupported_type, text, status,
       upstream_message_id, traceparent, template, client_reference, metadata, job_id, recipient_index)`,
);

/** A row to be stored. */
export type NewMessage = Pick<
  Message,
  | 'organizationId'
  | 'id'
  | 'conversationId'
  | 'contactId'
  | 'channelId'
  | 'direction'
  | 'type'
  | 'unsupportedType'
  | 'text'
  | 'status'
  | 'upstreamMessageId'
  | 'traceparent'
  | 'template'
  | 'clientReference'
  | 'metadata'
  | 'jobId'
  | 'recipientIndex'
>;

/** The parts that only an integrator's or a job's message has, of one that has none. */
export const NO_PARTS = {
  template: null,
  clientReference: null,
  metadata: null,
  jobId: null,
  recipientIndex: null,
} as const satisfies Partial<NewMessage>;

/** Plain reads of messages. */
@Injectable()
export class MessageRepository {
  constructor(private readonly database: Database) {}

  /** The message of that organization; null when it has none of that id. */
  async find(organizationId: string, id: string): Promise<Message | null> {
    return this.database.dataSource.getRepository(Message).findOneBy({ organizationId, id });
  }
}

/**
 * Stores messages; outbound ones as attempted now by the database's clock, and not as their transaction began: an id of its own
 * may be younger than that. Travels with COMMIT.
 */
export function insertMessages(tx: Transaction, messages: readonly NewMessage[]): void {
  if (messages.length === 0) return;
  tx.atCommit(
    insertSql,
    unnestColumns(messages, [
      'organizationId',
      'id',
      'conversationId',
      'contactId',
      'channelId',
      'direction',
      'type',
      'unsupportedType',
      'text',
      'status',
      'upstreamMessageId',
      'traceparent',
      'template',
      'clientReference',
      'metadata',
      'jobId',
      'recipientIndex',
    ]),
  );
}
