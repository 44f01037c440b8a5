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
const WITHOUT_PLAN = /^\s*(BEGIN|SET|LOCK)\b/;
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
    let database: Database;

    /** Nodes of the generic plan; none for a statement of a library on a table that the service has not. */
    const planned = async ({ name, text }: Statement): Promise<readonly PlanNode[]> => {
      try {
        const [row] = await database.dataSource.query(`EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${text}`);
        return nodesOf(row['QUERY PLAN'][0].Plan);
      } catch (error) {
        if (name.startsWith(`${service}.`) || sqlState(error) !== UNDEFINED_TABLE) throw error;
        return [];
      }
    };

    beforeAll(async () => {
      for (const file of await readdir(folder, { recursive: true })) {
        if (!file.endsWith('.ts') || /\.(int|unit|e2e)\.ts$/.test(file) || PROGRAM.test(file)) continue;
        if (DECLARES.test(await readFile(join(folder, file), 'utf8'))) await import(join(folder, file));
      }
      const prepared = await servers.serviceDatabase(service, migrations);
      const { dataSource } = await prepared.superuser();
      await dataSource.query('VACUUM ANALYZE');
      database = await prepared.database({ poolMax: 1 });
      await forgetSmallSizes(database);
    });

    it('sort by columns: a bare name in ORDER BY would be an output of the statement, such as a cast, which no index has', async () => {
      const wrong: string[] = [];
      for (const statement of plannedStatements()) {
        const keys = (await planned(statement)).flatMap((node) => node['Sort Key'] ?? []);
        if (keys.some((key) => CAST.test(key))) wrong.push(statement.name);
      }
      expect(wrong).toEqual([]);
    });

    it('read no whole table, but for those that may', async () => {
      const may = new Set([...OF_LIBRARIES, ...readsWhole]);
      const whole = new Map<string, readonly string[]>();
      for (const statement of plannedStatements()) {
        const tables = (await planned(statement)).filter(isReadWhole).map(describeNode);
        if (tables.length > 0) whole.set(statement.name, tables);
      }
      const unexpected = [...whole].filter(([name]) => !may.has(name));
      expect(Object.fromEntries(unexpected)).toEqual({});
      expect(readsWhole.filter((name) => !whole.has(name))).toEqual([]);
    });
  });
}

function plannedStatements(): readonly Statement[] {
  return declaredStatements().filter(({ text }) => !WITHOUT_PLAN.test(text));
}

/** Reads a table or an index without a condition that the index takes. */
function isReadWhole(node: PlanNode): boolean {
  const isRead = node['Relation Name'] !== undefined && !READS_NO_TABLE.test(node['Node Type']);
  return isRead && node['Index Cond'] === undefined;
}

function describeNode(node: PlanNode): string {
  return `${node['Node Type']} of ${node['Relation Name']} by ${node['Index Name'] ?? 'no index'}`;
}
