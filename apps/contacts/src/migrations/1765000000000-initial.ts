import { outboxTables, outboxTablesReversal } from '@switchboard/outbox';
import { partitionFunctions, partitionFunctionsReversal } from '@switchboard/postgres';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { contactTables, contactTablesReversal } from './initial/contacts.sql.js';
import { optOutTables, optOutTablesReversal } from './initial/opt-outs.sql.js';
import {
  gramsFunction,
  ordinalFunction,
  ordinalTrigger,
  searchFunctions,
  searchIndex,
  searchReversal,
} from './initial/search.sql.js';

/** The whole schema. Lock: none that matters, everything is new. Reversal: drops what it made. */
export class Initial1765000000000 implements MigrationInterface {
  readonly name = 'Initial1765000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(partitionFunctions);
    await runner.query(outboxTables);
    await runner.query(contactTables);
    await runner.query(ordinalFunction);
    await runner.query(ordinalTrigger);
    await runner.query(gramsFunction);
    await runner.query(searchIndex);
    await runner.query(searchFunctions);
    await runner.query(optOutTables);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(optOutTablesReversal);
    await runner.query(contactTablesReversal);
    await runner.query(searchReversal);
    await runner.query(outboxTablesReversal);
    await runner.query(partitionFunctionsReversal);
  }
}
