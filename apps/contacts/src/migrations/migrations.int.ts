import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { dumpSchema, migrate } from '@switchboard/postgres';
import { goldenFile, testServers } from '@switchboard/testing';
import { DataSource } from 'typeorm';
import { migrations } from './index.js';

const servers = testServers();

describe('the migrations', () => {
  it('make exactly the schema that schema.sql shows', async () => {
    const prepared = await servers.serviceDatabase('contacts', migrations);
    const { dataSource } = await prepared.superuser();
    const dump = await dumpSchema(dataSource, 'contacts');
    expect(dump).toBe(await goldenFile(join(import.meta.dirname, '..', '..', 'schema.sql'), dump));
  });

  it('bring contacts of before along: found by their phones, searched, not opted out', async () => {
    const [first] = migrations;
    const prepared = await servers.serviceDatabase('contacts', [first]);
    const { dataSource } = await prepared.superuser();
    await dataSource.query(`
      INSERT INTO contacts.contact (organization_id, id, phone, messaging_id, name, version, created_at, updated_at)
        VALUES ('corganization', 'c0000001', '+12015550123', '12015550123', 'Ana', 3, now(), now());
      INSERT INTO contacts.contact_phone VALUES ('corganization', '+12015550123', 'c0000001');
    `);
    await migrate({ url: prepared.migratorUrl, schema: 'contacts', migrations, serviceRole: prepared.role });
    const database = await prepared.database();
    const found = await database.dataSource.query(
      `SELECT c.id, c.coverage, c.heard, c.search_text FROM contact_alias a JOIN contact c ON c.id = a.contact_id
       WHERE a.alias = '+12015550123'`,
    );
    expect(found).toEqual([{ id: 'c0000001', coverage: 0, heard: null, search_text: 'ANA\u001f+12015550123\u001f' }]);
    const searched = `SELECT search_contacts('corganization', 'd', 'ANA', '{ANA}', NULL, 5) AS id`;
    expect(await database.dataSource.query(searched)).toEqual([{ id: 'c0000001' }]);
  });

  it('can be taken back and applied again', async () => {
    const prepared = await servers.serviceDatabase('contacts', migrations);
    const dataSource = new DataSource({
      type: 'postgres',
      url: prepared.migratorUrl,
      schema: 'contacts',
      migrations: [...migrations],
      migrationsTableName: 'migration',
      installExtensions: false,
      extra: { options: '-c search_path=contacts' },
    });
    await dataSource.initialize();
    for (const _migration of migrations) await dataSource.undoLastMigration();
    const left = await dataSource.query(
      `SELECT relname FROM pg_class WHERE relnamespace = 'contacts'::regnamespace AND relkind <> 'i'
         AND relname NOT LIKE 'migration%'
       UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = 'contacts'::regnamespace`,
    );
    await dataSource.destroy();
    expect(left).toEqual([]);
    const options = { url: prepared.migratorUrl, schema: 'contacts', migrations };
    expect(await migrate({ ...options, serviceRole: prepared.role })).toHaveLength(migrations.length);
  });
});
