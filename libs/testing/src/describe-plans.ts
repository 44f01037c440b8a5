import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { declaredStatements, forgetSmallSizes, sqlState, type Database, type Statement } from '@switchboard/postgres';
import { nodesOf, type PlanNode } from './plans.js';
import type { Migrations } from './service-database.js';
import type { TestServers } from './test-servers.js';

/** A service's statements under test. */
export interface PlansSpec {
  readonly service: string;
  readonly migrations: Migrations;
  /** Path of its sources. */
  readonly folder: string;
  readonly servers: TestServers;
  /** Names of statements that may read a whole table or index: they walk it up to a limit, or it holds what is rare. */
  readonly readsWhole: readonly string[];
}

/** Those of the libraries. */
const OF_LIBRARIES = [
  'database.oldest-snapshot',
  'dead-letter.count',
  'erasure.callback-letters',
  'erasure.count',
  'erasure.letters',
  'erasure.next',
  'erasure.outbox-rows',
  'outbox.backlog',
  'outbox.has-many-pending',
  'outbox.replay-newest',
  'relay-state.forgotten',
];
/** Programs: they read the environment. */
const PROGRAM = /(^|\/)(main|migrate)\.ts$/;
const DECLARES = /\bstatement[(<]/;
/** What has no plan. */
const WITHOUT_PLAN = /^\s*(BEGIN|COMMIT|SET|LOCK)\b/;
/** `((event.position)::double precision) DESC`. */
const CAST = /\([\w."]+\)::(double precision|integer|bigint)/;
const UNDEFINED_TABLE = '42P01';
/** Reads rows by other means than a condition: by their place, or of another node. */
const READS_NO_TABLE = /^(ModifyTable|Tid Scan|Tid Range Scan|LockRows)$/;

/**
 * What every service's statements promise, as tests: on tables that were analyzed while they were empty each is planned by
 * look-ups, once the service has had the planner forget their sizes, so that no plan is kept that takes long when they fill.
 */
export function describePlans({ service, migrations, folder, servers, readsWhole }: PlansSpec): void {
  describe(`the plans of ${service}`, () => {
    /** Nodes of the generic plan of each statement, by its name. */
    const plans = new Map<string, readonly PlanNode[]>();

    beforeAll(async () => {
      for (const file of await readdir(folder, { recursive: true })) {
        if (!file.endsWith('.ts') || /\.(int|unit|e2e)\.ts$/.test(file) || PROGRAM.test(file)) continue;
        if (DECLARES.test(await readFile(join(folder, file), 'utf8'))) await import(join(folder, file));
      }
      const prepared = await servers.serviceDatabase(service, migrations);
      const { dataSource } = await prepared.superuser();
      await dataSource.query('VACUUM ANALYZE');
      const database = await prepared.database({ poolMax: 1 });
      await forgetSmallSizes(database);
      for (const statement of declaredStatements()) {
        if (!WITHOUT_PLAN.test(statement.text)) plans.set(statement.name, await planned(database, service, statement));
      }
    });

    it('sort by columns: a bare name in ORDER BY would be an output of the statement, such as a cast, which no index has', async () => {
      const wrong = [...plans].filter(([, nodes]) =>
        nodes.some((node) => node['Sort Key']?.some((key) => CAST.test(key))),
      );
      expect(wrong.map(([name]) => name)).toEqual([]);
    });

    it('read no whole table, but for those that may', async () => {
      const may = new Set([...OF_LIBRARIES, ...readsWhole]);
      const whole = new Map(
        [...plans].flatMap(([name, nodes]) => {
          const tables = nodes.filter(isReadWhole).map(describeNode);
          return tables.length > 0 ? [[name, tables] as const] : [];
        }),
      );
      const unexpected = [...whole].filter(([name]) => !may.has(name));
      expect(Object.fromEntries(unexpected)).toEqual({});
      expect(readsWhole.filter((name) => !whole.has(name))).toEqual([]);
    });
  });
}

/** Nodes of a generic plan; none for a statement of a library on a table that the service has not. */
async function planned(database: Database, service: string, { name, text }: Statement): Promise<readonly PlanNode[]> {
  try {
    const [row] = await database.dataSource.query(`EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${text}`);
    return nodesOf(row['QUERY PLAN'][0].Plan);
  } catch (error) {
    if (name.startsWith(`${service}.`) || sqlState(error) !== UNDEFINED_TABLE) throw error;
    return [];
  }
}

/** Reads a table or an index without a condition that the index takes. */
function isReadWhole(node: PlanNode): boolean {
  const isRead = node['Relation Name'] !== undefined && !READS_NO_TABLE.test(node['Node Type']);
  return isRead && node['Index Cond'] === undefined;
}

function describeNode(node: PlanNode): string {
  return `${node['Node Type']} of ${node['Relation Name']} by ${node['Index Name'] ?? 'no index'}`;
}
