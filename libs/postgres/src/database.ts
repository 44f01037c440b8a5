import { TenantTurns } from '@switchboard/timing';
import type pg from 'pg';
import type { QueryResultRow } from 'pg';
import { DataSource, type DataSourceOptions, type EntitySchema } from 'typeorm';
import { AnswerProbe } from './answer-probe.js';
import { observePool } from './observe-pool.js';
import { leavesFit, tenantHasNoTurn } from './postgres-errors.js';
import { sessionOptions } from './session-options.js';
import { prepared, type Statement } from './statement.js';
import { TracedClient } from './traced-client.js';
import { rollBack, runTransaction, type Queryable, type Transaction, type TransactionOptions } from './transaction.js';

/** How a service reaches its schema. */
export interface DatabaseOptions {
  /** `postgres://user:password@host:port/database` of the service's own role. */
  readonly url: string;
  /** The service's schema; also the connections' `search_path`. */
  readonly schema: string;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string;
  /** Connections at most; small pools are best (8). */
  readonly poolMax: number;
  readonly entities: readonly (new () => object)[] | readonly EntitySchema[];
  /** How long a caller waits for a connection, of the pool or a new one, and for its tenant's turn (5,000 ms). */
  readonly connectWithinMs?: number;
  /** How long one statement may take (10,000 ms). */
  readonly statementWithinMs?: number;
  /** How long a statement waits for a lock (5,000 ms). */
  readonly lockWithinMs?: number;
  /** How long a transaction may stand still between two statements (15,000 ms); 0: for ever. */
  readonly idleInTransactionMs?: number;
  /** After how long without work a connection is closed (10,000 ms); 0: never, with all that it has prepared. */
  readonly idleMs?: number;
  /** Called with errors of idle connections, which belong to no query. */
  readonly onIdleError: (error: Error) => void;
}

const STATEMENT_WITHIN_MS = 10_000;
const LOCK_WITHIN_MS = 5_000;
const IDLE_IN_TRANSACTION_MS = 15_000;
const CONNECT_WITHIN_MS = 5_000;
const IDLE_MS = 10_000;
/** Of a pool of 8: transactions at once that work for one tenant alone. */
const EACH_TENANT_MAX = 2;

/**
 * Our statements start from at most a few hundred keys and look each up by an index: a nested loop in the order written
 * is right at every size. Left to itself the planner, which plans once and for tables that may be empty still, chooses
 * scans and hash joins over whole tables: 17 ms instead of 0.2 ms for a batch were measured on 2,000 messages. Nor does it
 * know how short a page is when it plans: for one of a million it started two processes, 13 ms instead of 2.
 */
const PLANNER = [
  '-c plan_cache_mode=force_generic_plan',
  '-c join_collapse_limit=1',
  '-c enable_seqscan=off',
  '-c enable_bitmapscan=off',
  '-c enable_hashjoin=off',
  '-c enable_mergejoin=off',
  '-c max_parallel_workers_per_gather=0',
];

/** One service's database: prepared statements and transactions over the pool that TypeORM made and shares. */
export class Database implements Queryable {
  private constructor(
    /** For entities and plain reads. */
    readonly dataSource: DataSource,
    private readonly pool: pg.Pool,
    private readonly turns: TenantTurns,
    private readonly probe: AnswerProbe,
  ) {}

  /** Connects. @throws when the server cannot be reached or refuses the role */
  static async open(options: DatabaseOptions): Promise<Database> {
    const dataSource = new DataSource(dataSourceOptions(options));
    await dataSource.initialize();
    // TypeORM types `master` as any: this is the one place that reaches through to the shared pool.
    const pool: pg.Pool = (dataSource.driver as unknown as { master: pg.Pool }).master;
    pool.on('error', options.onIdleError);
    observePool(pool, options.poolMax);
    const turns = new TenantTurns({
      eachMax: EACH_TENANT_MAX,
      wait: { maxMs: connectWithinMs(options), late: tenantHasNoTurn },
    });
    return new Database(dataSource, pool, turns, new AnswerProbe(pool, options.poolMax));
  }

  async query<Row extends QueryResultRow>(statement: Statement<Row>, values: readonly unknown[]): Promise<Row[]> {
    // Not `pool.query`, which hands a callback on: the statement's span would end before its answer.
    const client = await this.pool.connect();
    try {
      const result = await client.query<Row>(prepared(statement, values));
      client.release();
      return result.rows;
    } catch (error) {
      client.release(!leavesFit(error));
      throw error;
    }
  }

  /**
   * Runs `work` in one transaction: BEGIN travels with its first statement, what it put `atCommit` with COMMIT.
   *
   * @throws OutcomeUnknown when the connection broke during COMMIT; anything else means it was rolled back
   */
  async transaction<Result>(
    work: (tx: Transaction) => Promise<Result>,
    options: TransactionOptions = {},
  ): Promise<Result> {
    const { tenant } = options;
    const run = async (): Promise<Result> => this.run(work, options);
    return tenant === undefined ? run() : this.turns.run(tenant, run);
  }

  /** A connection of its own, for session-level locks. The caller ends it with `release(true)`. */
  async connect(): Promise<pg.PoolClient> {
    return this.pool.connect();
  }

  /**
   * Resolves when the server answers, also while all connections are busy.
   *
   * @returns whether it takes writes
   * @throws when it cannot be reached, or refuses
   */
  async answers(): Promise<boolean> {
    return this.probe.ask();
  }

  async close(): Promise<void> {
    await this.dataSource.destroy();
  }

  private async run<Result>(work: (tx: Transaction) => Promise<Result>, options: TransactionOptions): Promise<Result> {
    const client = await this.pool.connect();
    let isFit = true;
    try {
      return await runTransaction(client, work, options);
    } catch (error) {
      isFit = await rollBack(client, error);
      throw error;
    } finally {
      // A client whose state is in doubt is closed, never handed to the next caller.
      client.release(!isFit);
    }
  }
}

function connectWithinMs(options: DatabaseOptions): number {
  return options.connectWithinMs ?? CONNECT_WITHIN_MS;
}

function dataSourceOptions(options: DatabaseOptions): DataSourceOptions {
  const statementWithinMs = options.statementWithinMs ?? STATEMENT_WITHIN_MS;
  const session = sessionOptions(options.url, [
    `-c search_path=${options.schema}`,
    `-c statement_timeout=${statementWithinMs}`,
    `-c idle_in_transaction_session_timeout=${options.idleInTransactionMs ?? IDLE_IN_TRANSACTION_MS}`,
    `-c lock_timeout=${options.lockWithinMs ?? LOCK_WITHIN_MS}`,
    ...PLANNER,
    '-c jit=off',
  ]);
  return {
    type: 'postgres',
    url: session.url,
    schema: options.schema,
    applicationName: options.applicationName,
    entities: [...options.entities] as (new () => object)[],
    synchronize: false,
    logging: false,
    installExtensions: false,
    extra: {
      Client: TracedClient,
      max: options.poolMax,
      // Pipelining: BEGIN with the first statement and the outbox rows with COMMIT halve the round trips.
      pipeline: true,
      keepAlive: true,
      connectionTimeoutMillis: connectWithinMs(options),
      idleTimeoutMillis: options.idleMs ?? IDLE_MS,
      query_timeout: statementWithinMs + 2_000,
      options: session.options,
    },
  };
}
