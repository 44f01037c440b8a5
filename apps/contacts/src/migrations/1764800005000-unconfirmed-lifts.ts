import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lifts of opt-outs whose callers have not been answered yet. Lock: none, it is new. Reversal: drops it. */
export class UnconfirmedLifts1764800005000 implements MigrationInterface {
  readonly name = 'UnconfirmedLifts1764800005000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE contacts.unconfirmed_lift (
        organization_id text COLLATE "C" NOT NULL,
        opt_out_id text COLLATE "C" NOT NULL,
        contact_id text COLLATE "C" NOT NULL,
        PRIMARY KEY (organization_id, opt_out_id)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE contacts.unconfirmed_lift');
  }
}
