import type pg from 'pg';
import type { QueryResult, QueryResultRow } from 'pg';
import { OutcomeUnknown, sqlState } from './postgres-errors.js';
import type { Statement } from './statement.js';
import { inOneWrite } from './traced-client.js';
import { beginStatement, TransactionQuery } from './transaction-query.js';

/** What runs statements: the pool, or a transaction. */
export interface Queryable {
  query<Row extends QueryResultRow>(statement: Statement<Row>, values: readonly unknown[]): Promise<Row[]>;
}

/** A running transaction. */
export interface Transaction extends Queryable {
  /**
   * Sends a statement together with COMMIT, so that it costs no round trip of its own. Its rows are not seen; its
   * failure, before it leaves too, rolls the transaction back and is thrown by `transaction`.
   */
  atCommit(statement: Statement, values: readonly unknown[]): void;
}

/** Connections that have BEGIN prepared, so that it can travel with a statement. */
const knowsBegin = new WeakSet<pg.PoolClient>();
/** Connections on which a statement failed by anything but the server's word: what they hold is not known. */
const unfit = new WeakSet<pg.PoolClient>();

/**
 * Runs `work` in a transaction of the client: BEGIN travels with its first statement, what it put `atCommit` with COMMIT.
 *
 * @throws OutcomeUnknown when the connection broke during COMMIT; after anything else nothing stands
 */
export async function runTransaction<Result>(
  client: pg.PoolClient,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const deferred: Deferred[] = [];
  let begun: Promise<unknown> | undefined;
  const result = await work({
    query: async <Row extends QueryResultRow>(
      statement: Statement<Row>,
      values: readonly unknown[],
    ): Promise<Row[]> => {
      // A statement asked in parallel to the first waits for it: if that did not begin, it would be committed by itself.
      if (begun) {
        await begun;
        return (await ask<Row>(client, { statement, values })).rows;
      }
      const first = begin<Row>(client, { statement, values });
      begun = first;
      return (await first).rows;
    },
    atCommit: (statement, values) => void deferred.push({ statement, values }),
  });
  if (begun) await begun;
  else if (deferred.length === 0) return result;
  // Alone it may take BEGIN along; were there more, they would stand without it.
  const isOneWay = !begun && deferred.length === 1 && knowsBegin.has(client);
  if (!begun && !isOneWay) await beginAlone(client);
  await commit(client, deferred, isOneWay);
  return result;
}

/** Ends what `runTransaction` left behind when it threw. @returns whether the connection is fit for the next caller */
export async function rollBack(client: pg.PoolClient, error: unknown): Promise<boolean> {
  if (error instanceof OutcomeUnknown || unfit.has(client)) return false;
  return client.query('ROLLBACK').then(
    () => true,
    () => false,
  );
}

interface Deferred {
  readonly statement: Statement;
  readonly values: readonly unknown[];
}

async function begin<Row extends QueryResultRow>(client: pg.PoolClient, first: Deferred): Promise<QueryResult<Row>> {
  if (knowsBegin.has(client)) return ask<Row>(client, first, true);
  await beginAlone(client);
  return ask<Row>(client, first);
}

async function beginAlone(client: pg.PoolClient): Promise<void> {
  await ask(client, { statement: beginStatement, values: [] });
  knowsBegin.add(client);
}

async function commit(client: pg.PoolClient, deferred: readonly Deferred[], begins: boolean): Promise<void> {
  inOneWrite(client);
  const sent = deferred.map((one) => send(client, one, begins));
  const refused = sent.find(({ refusal }) => refusal !== undefined);
  // Without it the rest would be committed.
  if (refused) {
    unfit.add(client);
    for (const { outcome } of sent) outcome.catch(() => undefined);
    throw refused.refusal;
  }
  const committed = client.query('COMMIT');
  const outcomes = await Promise.allSettled([...sent.map(({ outcome }) => outcome), committed]);
  // The server's own refusal of a statement, or of COMMIT by a late constraint, proves that nothing stands.
  const refusal = outcomes.find((outcome) => outcome.status === 'rejected' && isProvenRollback(outcome.reason));
  if (refusal?.status === 'rejected') throw refusal.reason;
  const lost = outcomes.find((outcome) => outcome.status === 'rejected');
  if (lost?.status === 'rejected') throw new OutcomeUnknown(lost.reason);
  // A refusal that `work` caught: the server rolls back and says so instead of failing.
  if ((await committed).command === 'ROLLBACK') throw new Error('the transaction was rolled back at COMMIT');
}

async function ask<Row extends QueryResultRow>(
  client: pg.PoolClient,
  one: Deferred,
  begins = false,
): Promise<QueryResult<Row>> {
  try {
    return (await send(client, one, begins).outcome) as QueryResult<Row>;
  } catch (error) {
    if (sqlState(error) === null) unfit.add(client);
    throw error;
  }
}

function send(client: pg.PoolClient, { statement, values }: Deferred, begins = false): TransactionQuery {
  const query = TransactionQuery.of(statement, values, begins);
  client.query(query as unknown as pg.Submittable);
  return query;
}

function isProvenRollback(error: unknown): boolean {
  const state = sqlState(error);
  return state !== null && !/^(08|57P)/.test(state);
}
