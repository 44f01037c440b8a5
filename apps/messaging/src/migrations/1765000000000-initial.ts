import { outboxTables, outboxTablesReversal } from '@switchboard/outbox';
import { partitionFunctions, partitionFunctionsReversal } from '@switchboard/postgres';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { channelTable, channelTableReversal } from './initial/channels.sql.js';
import { contactTables, contactTablesReversal } from './initial/contacts.sql.js';
import { conversationTable, conversationTableReversal } from './initial/conversations.sql.js';
import { dispatchTable, dispatchTableReversal } from './initial/dispatch.sql.js';
import { idempotencyKeyTable, idempotencyKeyTableReversal } from './initial/idempotency-keys.sql.js';
import { messagePartitions, messagePartitionsReversal } from './initial/message-partitions.sql.js';
import { messageTables, messageTablesReversal } from './initial/messages.sql.js';
import { quotaFunctions, quotaFunctionsReversal, quotaTable, quotaTableReversal } from './initial/quota.sql.js';

/** The whole schema. Lock: none that matters, everything is new. Reversal: drops what it made. */
export class Initial1765000000000 implements MigrationInterface {
  readonly name = 'Initial1765000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(partitionFunctions);
    await runner.query(outboxTables);
    await runner.query(channelTable);
    await runner.query(contactTables);
    await runner.query(conversationTable);
    await runner.query(messageTables);
    await runner.query(messagePartitions);
    await runner.query('SELECT keep_message_partitions()');
    await runner.query(dispatchTable);
    await runner.query(idempotencyKeyTable);
    await runner.query(quotaTable);
    await runner.query(quotaFunctions);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(quotaFunctionsReversal);
    await runner.query(quotaTableReversal);
    await runner.query(idempotencyKeyTableReversal);
    await runner.query(dispatchTableReversal);
    await runner.query(messagePartitionsReversal);
    await runner.query(messageTablesReversal);
    await runner.query(conversationTableReversal);
    await runner.query(contactTablesReversal);
    await runner.query(channelTableReversal);
    await runner.query(outboxTablesReversal);
    await runner.query(partitionFunctionsReversal);
  }
}
