import { erasureTable, erasureTableReversal } from '@switchboard/platform';
import { dataKeyTable } from '@switchboard/secrets';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What erasing a contact needs: the services that have not confirmed with the numbers that they look for, the opt-outs that
 * go on holding for a number by its keyed hash, and the key, sealed. Lock: none, the tables are new. Reversal: drops them;
 * erased contacts stay erased, and their opt-outs are lost.
 */
export class Erasure1766600000000 implements MigrationInterface {
  readonly name = 'Erasure1766600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(erasureTable);
    await runner.query(dataKeyTable);
    await runner.query(`
      CREATE TABLE erased_number (
        organization_id text COLLATE "C" NOT NULL,
        contact_id text COLLATE "C" NOT NULL,
        aliases text[] NOT NULL,
        waits_for text[] NOT NULL,
        PRIMARY KEY (organization_id, contact_id)
      );
      CREATE TABLE number_key (
        organization_id text COLLATE "C" PRIMARY KEY,
        id text COLLATE "C" NOT NULL,
        key_sealed bytea NOT NULL
      );
      CREATE TABLE held_opt_out (
        organization_id text COLLATE "C" NOT NULL,
        alias_hmac bytea NOT NULL CHECK (length(alias_hmac) = 32),
        channel_id text COLLATE "C" NOT NULL,
        source text NOT NULL,
        PRIMARY KEY (organization_id, alias_hmac, channel_id)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE held_opt_out, number_key, erased_number, data_key; ${erasureTableReversal}`);
  }
}
