import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When a lift began, so that those whose callers never asked again can go. Lock: brief, of a small table. Reversal: drops it. */
export class LiftTimes1764800010000 implements MigrationInterface {
  readonly name = 'LiftTimes1764800010000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE contacts.unconfirmed_lift ADD COLUMN begun_at timestamptz NOT NULL DEFAULT now();
      CREATE INDEX unconfirmed_lift_begun ON contacts.unconfirmed_lift (begun_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX contacts.unconfirmed_lift_begun;
      ALTER TABLE contacts.unconfirmed_lift DROP COLUMN begun_at;
    `);
  }
}
