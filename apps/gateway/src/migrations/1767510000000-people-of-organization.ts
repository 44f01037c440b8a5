import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Members and invites of an organization in the order in which they are listed: without it a page read those of all organizations.
 *
 * Lock: SHARE on both tables, while the indexes are built (a second for a million members).
 */
export class PeopleOfOrganization1767510000000 implements MigrationInterface {
  readonly name = 'PeopleOfOrganization1767510000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX membership_of_organization ON membership (organization_id, id)');
    await runner.query('CREATE INDEX invite_of_organization ON invite (organization_id, id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX invite_of_organization');
    await runner.query('DROP INDEX membership_of_organization');
  }
}
