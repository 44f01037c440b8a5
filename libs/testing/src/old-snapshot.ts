import { forgetSmallSizes, type Database } from '@switchboard/postgres';
import { blocksOf, planOf, preparedStatements } from './plans.js';

/** Runs while a snapshot is open: no entry of what is changed or deleted meanwhile leaves an index. */
export async function behindSnapshot<Result>(superuser: Database, work: () => Promise<Result>): Promise<Result> {
  const snapshot = superuser.dataSource.createQueryRunner();
  try {
    await snapshot.startTransaction('REPEATABLE READ');
    await snapshot.query('SELECT FROM pg_class LIMIT 1');
    return await work();
  } finally {
    await snapshot.rollbackTransaction();
    await snapshot.release();
  }
}

/** Tables whose sizes are measured when a test says so. */
export class MeasuredTables {
  private constructor(
    private readonly superuser: Database,
    private readonly names: string,
  ) {}

  /** @param names with their schema */
  static async of(superuser: Database, ...names: string[]): Promise<MeasuredTables> {
    for (const name of names) await superuser.dataSource.query(`ALTER TABLE ${name} SET (autovacuum_enabled = false)`);
    return new MeasuredTables(superuser, names.join(', '));
  }

  /** As autovacuum does at any moment, and a service's round behind it. */
  async measure(service: Database): Promise<void> {
    await this.superuser.dataSource.query(`ANALYZE ${this.names}`);
    await forgetSmallSizes(service);
  }
}

/**
 * Pages that each look touches.
 *
 * @param database of one connection, which has prepared them
 * @param looks names of statements, with their values as literals
 */
export async function blocksOfLooks<Name extends string>(
  database: Database,
  looks: Readonly<Record<Name, readonly string[]>>,
): Promise<Record<Name, number>> {
  const statements = await preparedStatements(database);
  const found: Partial<Record<Name, number>> = {};
  for (const name in looks) {
    const look = statements.find((one) => one.name === name);
    if (!look) throw new Error(`${name} was not prepared`);
    const values = looks[name];
    found[name] = blocksOf(await planOf(database, look, { values, analyze: true }));
  }
  return found as Record<Name, number>;
}
