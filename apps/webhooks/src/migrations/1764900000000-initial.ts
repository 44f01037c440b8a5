import { outboxTables, outboxTablesReversal } from '@switchboard/outbox';
import { partitionFunctions, partitionFunctionsReversal } from '@switchboard/postgres';
import { dataKeyTable } from '@switchboard/secrets';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { deliveryTables, deliveryTablesReversal } from './initial/deliveries.sql.js';
import { eventTables, eventTablesReversal } from './initial/events.sql.js';
import { webhookRetention, webhookRetentionReversal } from './initial/retention.sql.js';
import { webhookTables, webhookTablesReversal } from './initial/webhooks.sql.js';

/** The whole schema. Lock: none that matters, everything is new. Reversal: drops what it made. */
export class Initial1764900000000 implements MigrationInterface {
  readonly name = 'Initial1764900000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(partitionFunctions);
    await runner.query(outboxTables);
    await runner.query(dataKeyTable);
    await runner.query(webhookTables);
    await runner.query(eventTables);
    await runner.query(deliveryTables);
    await runner.query(webhookRetention);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(webhookRetentionReversal);
    await runner.query(deliveryTablesReversal);
    await runner.query(eventTablesReversal);
    await runner.query(webhookTablesReversal);
    await runner.query('DROP TABLE data_key');
    await runner.query(outboxTablesReversal);
    await runner.query(partitionFunctionsReversal);
  }
}
