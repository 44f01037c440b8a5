import { describe, expect, it } from '@jest/globals';
import { migrate, plannerHints } from '@switchboard/postgres';
import { eventually, testServers } from '../index.js';

const servers = testServers();

class Owned1764000000000 {
  readonly name = 'Owned1764000000000';

  async up(runner: { query(sql: string): Promise<unknown> }): Promise<void> {
    await runner.query(`
      CREATE TABLE contacts.owned (organization_id text, id text, place text, PRIMARY KEY (organization_id, id));
      CREATE INDEX owned_place ON contacts.owned (organization_id, place);
      CREATE TABLE contacts.gone (organization_id text);
    `);
  }

  async down(): Promise<void> {}
}

describe('migrations', () => {
  it('let key look-ups be planned on empty tables by the whole key, and leave real statistics alone', async () => {
    const made = await servers.serviceDatabase('contacts', [Owned1764000000000]);
    const database = await made.database({ poolMax: 1 });
    const superuser = await made.superuser();
    const shareOf = async (table: string): Promise<number | undefined> => {
      const sql = `SELECT n_distinct AS n FROM pg_stats WHERE tablename = $1 AND attname = 'organization_id'`;
      return (await superuser.dataSource.query(sql, [table]))[0]?.n;
    };
    // Both indexes begin with the organization: of a table without statistics either would do, at the same cost.
    const [{ 'QUERY PLAN': plan }] = await database.dataSource.query(
      `EXPLAIN (GENERIC_PLAN, FORMAT JSON) SELECT * FROM owned WHERE organization_id = $1 AND id = $2`,
    );
    expect(plan[0].Plan).toMatchObject({ 'Index Name': 'owned_pkey' });
    expect(await shareOf('owned')).toBe(4);
    await superuser.dataSource.query(`
      INSERT INTO contacts.owned SELECT 'o' || n % 10, n, n FROM generate_series(1, 1000) AS n; ANALYZE contacts.owned`);
    const { migratorUrl, role } = made;
    await migrate({ url: migratorUrl, schema: 'contacts', migrations: [Owned1764000000000], serviceRole: role });
    expect(await shareOf('owned')).toBe(10);
  });

  it("have nothing to say of a table that is not the service's own, and are given to the others", async () => {
    const made = await servers.serviceDatabase('contacts', [Owned1764000000000]);
    const { dataSource } = await made.superuser();
    await dataSource.query('CREATE TABLE contacts.foreign_one (organization_id text)');
    await dataSource.query(`SELECT pg_clear_attribute_stats('contacts', 'owned', 'organization_id', false)`);
    const hinting = dataSource.createQueryRunner();
    const [{ owner }] = await hinting.query("SELECT tableowner AS owner FROM pg_tables WHERE tablename = 'owned'");
    await hinting.query(`SET ROLE ${owner}`);
    await hinting.query('SET search_path = contacts');
    await hinting.query(`DO $$ BEGIN ${plannerHints} END $$`);
    await hinting.query('RESET ROLE');
    await hinting.release();
    const [{ shares }] = await dataSource.query(
      `SELECT count(*)::int AS shares FROM pg_stats WHERE schemaname = 'contacts' AND tablename = 'owned' AND n_distinct = 4`,
    );
    expect(shares).toBe(1);
  });

  it('have nothing to say of a table that is dropped at that moment', async () => {
    const made = await servers.serviceDatabase('contacts', [Owned1764000000000]);
    const { dataSource } = await made.superuser();
    await dataSource.query(`SELECT pg_clear_attribute_stats('contacts', 'gone', 'organization_id', false)`);
    const [dropping, hinting] = [dataSource.createQueryRunner(), dataSource.createQueryRunner()];
    await hinting.query('SET search_path = contacts');
    await dropping.startTransaction();
    const [{ oid }] = await dropping.query("SELECT 'contacts.gone'::regclass::oid");
    await dropping.query('DROP TABLE contacts.gone');
    const hinted = hinting.query(`DO $$ BEGIN ${plannerHints} END $$`);
    await eventually(async () => {
      const waiting = await dataSource.query('SELECT FROM pg_locks WHERE NOT granted AND relation = $1', [oid]);
      return waiting.length > 0;
    });
    await dropping.commitTransaction();
    await hinted;
    await Promise.all([dropping.release(), hinting.release()]);
  });
});
