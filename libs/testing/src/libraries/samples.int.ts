import { describe, expect, it } from '@jest/globals';
import {
  migrate,
  partitionFunctions,
  resumeSampling,
  statement,
  stopSampling,
  unsampledPartitions,
  type SampledColumns,
} from '@switchboard/postgres';
import { testServers, type ServiceDatabase } from '../index.js';

const servers = testServers();

interface Runner {
  query(sql: string): Promise<unknown>;
}

/** A table of parts, one that is emptied, and an index of a text; all written by people. */
class Note1764000000000 {
  readonly name = 'Note1764000000000';

  async up(runner: Runner): Promise<void> {
    await runner.query(partitionFunctions);
    await runner.query(`
      CREATE TABLE note (id text COLLATE "C" PRIMARY KEY, said text, facts jsonb) PARTITION BY RANGE (id);
      CREATE INDEX note_said ON note ((id || ' ' || said), id);
      CREATE TABLE number (id text PRIMARY KEY, forms text[]);
      SELECT ensure_partition('note', '2026-01-01Z', '2026-02-01Z', '202601');
    `);
  }

  async down(runner: Runner): Promise<void> {
    await runner.query('DROP TABLE note, number');
  }
}

const COLUMNS = { note: ['said', 'facts'], note_said: ['expr'], number: ['forms'] };

class Unnoted1764000001000 {
  readonly name = 'Unnoted1764000001000';

  async up(runner: Runner): Promise<void> {
    await runner.query(unsampledPartitions);
    await runner.query(stopSampling(COLUMNS));
  }

  async down(runner: Runner): Promise<void> {
    await runner.query(resumeSampling(COLUMNS));
    await runner.query(partitionFunctions);
  }
}

const ensure = statement<{ isNew: boolean }>(
  't.ensure',
  `SELECT ensure_partition('note', $1::timestamptz, $1::timestamptz + interval '1 month', $2) AS "isNew"`,
);

describe('columns that are sampled no more', () => {
  /** Two rows a month, so that their values are the most common ones. */
  async function fill(prepared: ServiceDatabase, month: string): Promise<void> {
    const { dataSource } = await prepared.superuser();
    await dataSource.query(
      `INSERT INTO contacts.note SELECT contacts.cuid_floor($1::timestamptz) || n, 'Ada said', '{"to":"Ada"}'
       FROM generate_series(1, 2) AS n`,
      [month],
    );
    await dataSource.query('ANALYZE');
  }

  /** Of which columns the planner's samples hold the person, by table or index. */
  async function samples(prepared: ServiceDatabase): Promise<string[]> {
    const { dataSource } = await prepared.superuser();
    const rows: { name: string }[] = await dataSource.query(
      `SELECT tablename || '.' || attname AS name FROM pg_stats
       WHERE schemaname = 'contacts' AND pg_stats::text LIKE '%Ada%' ORDER BY 1`,
    );
    return rows.map(({ name }) => name);
  }

  const migrated = async (prepared: ServiceDatabase): Promise<string[]> =>
    migrate({
      url: prepared.migratorUrl,
      schema: 'contacts',
      migrations: [Note1764000000000, Unnoted1764000001000],
      serviceRole: prepared.role,
    });

  it('lose what was sampled of tables, partitions, their parents and indexes, emptied ones too', async () => {
    const prepared = await servers.serviceDatabase('contacts', [Note1764000000000]);
    const { dataSource } = await prepared.superuser();
    await dataSource.query(`INSERT INTO contacts.number SELECT n, '{Ada}' FROM generate_series(1, 2) AS n`);
    await fill(prepared, '2026-01-01Z');
    await dataSource.query('DELETE FROM contacts.number');
    await dataSource.query('VACUUM ANALYZE contacts.number');
    expect(await samples(prepared)).toEqual([
      'note.facts',
      'note.said',
      'note_202601.facts',
      'note_202601.said',
      'note_202601_expr_id_idx.expr',
      'number.forms',
    ]);
    await migrated(prepared);
    expect(await samples(prepared)).toEqual([]);
    await fill(prepared, '2026-01-02Z');
    expect(await samples(prepared)).toEqual([]);
    const counted = `SELECT count(*)::int AS count FROM pg_stats WHERE tablename = 'note_202601' AND attname = 'id'`;
    expect(await dataSource.query(counted)).toEqual([{ count: 1 }]);
  });

  it('are not sampled of later partitions, which the service makes without rights on them', async () => {
    const prepared = await servers.serviceDatabase('contacts', [Note1764000000000, Unnoted1764000001000]);
    const database = await prepared.database();
    expect(await database.query(ensure, ['2026-02-01Z', '202602'])).toEqual([{ isNew: true }]);
    expect(await database.query(ensure, ['2026-02-01Z', '202602'])).toEqual([{ isNew: false }]);
    await fill(prepared, '2026-02-02Z');
    expect(await samples(prepared)).toEqual([]);
  });

  it('are not sampled of a partition that was made while the migration ran', async () => {
    const prepared = await servers.serviceDatabase('contacts', [Note1764000000000, Unnoted1764000001000]);
    const { dataSource } = await prepared.superuser();
    await dataSource.query(`
      CREATE TABLE contacts.note_202603 PARTITION OF contacts.note
        FOR VALUES FROM (contacts.cuid_floor('2026-03-01Z')) TO (contacts.cuid_floor('2026-04-01Z'));
      ALTER TABLE contacts.note_202603 OWNER TO switchboard_contacts_migrator;
    `);
    const database = await prepared.database();
    expect(await database.query(ensure, ['2026-03-01Z', '202603'])).toEqual([{ isNew: false }]);
    await fill(prepared, '2026-03-02Z');
    expect(await samples(prepared)).toEqual([]);
  });

  it('are sampled again once the migration is taken back', async () => {
    const prepared = await servers.serviceDatabase('contacts', [Note1764000000000, Unnoted1764000001000]);
    const { dataSource } = await prepared.superuser();
    await dataSource.query(`SET search_path = contacts; ${resumeSampling(COLUMNS)}`);
    await fill(prepared, '2026-01-01Z');
    expect(await samples(prepared)).toContain('note_202601_expr_id_idx.expr');
  });

  it('must be there: a name that is misspelt fails the migration', async () => {
    const prepared = await servers.serviceDatabase('contacts', [Note1764000000000]);
    const { dataSource } = await prepared.superuser();
    const wrongs: [SampledColumns, string][] = [
      [{ note: ['sad'] }, 'column "sad"'],
      [{ tould: ['said'] }, 'relation "tould"'],
      [{ note_said: ['exp'] }, 'column "exp"'],
      [{ note_said: ['id'] }, 'non-expression column'],
    ];
    for (const [wrong, why] of wrongs) {
      await expect(dataSource.query(`SET search_path = contacts; ${stopSampling(wrong)}`)).rejects.toThrow(why);
    }
  });
});
