import type pg from 'pg';
import type { QueryResult, QueryResultRow } from 'pg';
import { leavesFit, OutcomeUnknown, sqlState } from './postgres-errors.js';
import type { Statement } from './statement.js';
import { inOneWrite } from './traced-client.js';
import {
  beginStatement,
  commitStatement,
  isPrepared,
  shortLocksStatements,
  TransactionQuery,
  USUAL_LOCK_WAIT_MS,
  type BoundStatement,
  type LockWaitMs,
} from './transaction-query.js';

/** What runs statements: the pool, or a transaction. */
export interface Queryable {
  query<Row extends QueryResultRow>(statement: Statement<Row>, values: readonly unknown[]): Promise<Row[]>;
}

/** A running transaction. Once its work has failed or returned it refuses whatever is asked. */
export interface Transaction extends Queryable {
  /**
   * Sends a statement together with COMMIT, so that it costs no round trip of its own. Its
   * failure, before it leaves too, rolls the transaction back and is thrown by `transaction`.
   *
   * @param onRows gets its rows once the transaction stands, and throws nothing; by default they are not seen
   */
  atCommit<Row extends QueryResultRow>(
    statement: Statement<Row>,
    values: readonly unknown[],
    onRows?: (rows: readonly Row[]) => void,
  ): void;
}

/** How a transaction is begun. */
export interface TransactionOptions {
  /**
   * Gives up a lock after 500 ms instead of 5 s (SQLSTATE 55P03): for work of many tenants, which is then run again without
   * the one whose row is locked.
   */
  readonly hasShortLocks?: boolean;
  /** With `hasShortLocks`: gives up a lock earlier. */
  readonly lockWaitMs?: LockWaitMs;
  /**
   * For work of one tenant alone, which may wait 5 s for a lock: at most two such of a tenant have connections at once, so
   * that a locked row of it does not use up the pool.
   */
  readonly tenant?: string;
}

const IN_FAILED_TRANSACTION = '25P02';

/** What each connection has prepared of the statements that begin a transaction, so that they can travel with another. */
const known = new WeakMap<pg.PoolClient, Set<Statement>>();
/** Connections on which a statement failed by what leaves none fit for the next caller. */
const unfit = new WeakSet<pg.PoolClient>();

/**
 * Runs `work` in a transaction of the client: BEGIN travels with its first statement, together with those asked in the same
 * turn that write nothing; what it put `atCommit` travels with COMMIT.
 *
 * @throws OutcomeUnknown when the connection broke during COMMIT; after anything else the transaction was rolled back
 */
export async function runTransaction<Result>(
  client: pg.PoolClient,
  work: (tx: Transaction) => Promise<Result>,
  { hasShortLocks = false, lockWaitMs = USUAL_LOCK_WAIT_MS }: TransactionOptions = {},
): Promise<Result> {
  const beginnings = hasShortLocks ? [beginStatement, shortLocksStatements[lockWaitMs]] : [beginStatement];
  const deferred: Deferred[] = [];
  let begun: Promise<unknown> | undefined;
  let isUnderWay = false;
  let isOver = false;
  let waiting = 0;
  const asked: Promise<QueryResult>[] = [];
  // What is sent behind its ROLLBACK would be committed by itself, or be part of another caller's.
  const requireOpen = (): void => {
    if (isOver) throw new Error('the transaction is over');
  };
  const query = async <Row extends QueryResultRow>(
    statement: Statement<Row>,
    values: readonly unknown[],
  ): Promise<Row[]> => {
    requireOpen();
    // A statement asked in parallel to the first waits for it: if that did not begin, it would be committed by itself. One
    // that writes nothing would do no harm, and its transaction ends with the failure of the first; behind others that wait
    // it keeps its place.
    if (!begun) isUnderWay = knowsAll(client, beginnings);
    else if (!isUnderWay || !statement.writesNothing || waiting > 0) {
      waiting++;
      try {
        await begun;
      } finally {
        waiting--;
      }
      requireOpen();
    }
    inOneWrite(client);
    const given = { statement, values };
    const answer = begun ? ask<Row>(client, given) : begin<Row>(client, given, { beginnings, requireOpen });
    begun ??= answer;
    asked.push(answer);
    return (await answer).rows;
  };
  const atCommit: Transaction['atCommit'] = (statement, values, onRows) => {
    requireOpen();
    const own = { statement, values };
    deferred.push(onRows === undefined ? own : { ...own, onResult: ({ rows }) => onRows(rows) });
  };
  const result = await work({ query, atCommit }).catch(async (error: unknown) => {
    isOver = true;
    // Of statements asked in parallel the work may hear first of one that was only refused after another had failed.
    throw sqlState(error) === IN_FAILED_TRANSACTION ? await firstRefusal(asked, error) : error;
  });
  // Behind those that were asked in time and wait for it.
  if (begun) await begun;
  isOver = true;
  if (begun || deferred.length > 0) await end(client, deferred, { hasBegun: begun !== undefined, beginnings });
  return result;
}

/** @param asked in the order in which the server runs them */
async function firstRefusal(asked: readonly Promise<unknown>[], otherwise: unknown): Promise<unknown> {
  const refused = (await Promise.allSettled(asked)).find(({ status }) => status === 'rejected');
  return refused?.status === 'rejected' ? refused.reason : otherwise;
}

/** Ends what `runTransaction` left behind when it threw. @returns whether the connection is fit for the next caller */
export async function rollBack(client: pg.PoolClient, error: unknown): Promise<boolean> {
  if (error instanceof OutcomeUnknown || unfit.has(client)) return false;
  return client.query('ROLLBACK').then(
    () => true,
    () => false,
  );
}

async function begin<Row extends QueryResultRow>(
  client: pg.PoolClient,
  first: BoundStatement,
  { beginnings, requireOpen }: { readonly beginnings: readonly Statement[]; readonly requireOpen: () => void },
): Promise<QueryResult<Row>> {
  if (knowsAll(client, beginnings)) return ask<Row>(client, first, beginnings);
  await beginAlone(client, beginnings);
  requireOpen();
  return ask<Row>(client, first);
}

function knowsAll(client: pg.PoolClient, beginnings: readonly Statement[]): boolean {
  const own = known.get(client);
  return own !== undefined && beginnings.every((one) => own.has(one));
}

async function beginAlone(client: pg.PoolClient, beginnings: readonly Statement[]): Promise<void> {
  const own = known.get(client) ?? new Set();
  known.set(client, own);
  for (const statement of beginnings) {
    await ask(client, { statement, values: [] });
    own.add(statement);
  }
}

/** Sends what travels with COMMIT, and BEGIN where nothing else was asked. */
async function end(
  client: pg.PoolClient,
  deferred: readonly Deferred[],
  { hasBegun, beginnings }: { readonly hasBegun: boolean; readonly beginnings: readonly Statement[] },
): Promise<void> {
  const isBundle = deferred.every(({ statement }) => isPrepared(client, statement));
  // In one message with BEGIN: if that failed, what comes in a further one would be committed by itself.
  const isOneMessage = isBundle && deferred.every(({ onResult }) => !onResult);
  const isOneWay = !hasBegun && isOneMessage && knowsAll(client, beginnings);
  if (!hasBegun && !isOneWay) await beginAlone(client, beginnings);
  await commit(client, messagesOf(deferred, isBundle, isOneWay ? bare(beginnings) : []));
}

/** Travels with COMMIT. */
interface Deferred extends BoundStatement {
  /** Called once the transaction stands; without it, no rows are asked for. */
  readonly onResult?: (result: QueryResult) => void;
}

/** Leaves under one Sync. */
interface Message {
  readonly own: Deferred;
  readonly leading: readonly BoundStatement[];
}

/**
 * What leaves in one write, COMMIT last. What has rows to be seen ends a message, as does every statement of which the connection has not
 * prepared all.
 */
function messagesOf(
  deferred: readonly Deferred[],
  isBundle: boolean,
  beginnings: readonly BoundStatement[],
): readonly Message[] {
  const messages: Message[] = [];
  let leading = [...beginnings];
  for (const own of deferred) {
    if (isBundle && !own.onResult) leading.push(own);
    else {
      messages.push({ own, leading });
      leading = [];
    }
  }
  return [...messages, { own: { statement: commitStatement, values: [] }, leading }];
}

async function commit(client: pg.PoolClient, messages: readonly Message[]): Promise<void> {
  inOneWrite(client);
  const sent: TransactionQuery[] = [];
  for (const { own, leading } of messages) {
    const query = send(client, own, leading);
    sent.push(query);
    // Without it the rest would be committed.
    if (query.refusal !== undefined) {
      unfit.add(client);
      for (const { outcome } of sent) outcome.catch(() => undefined);
      throw query.refusal;
    }
  }
  const outcomes = await Promise.allSettled(sent.map(({ outcome }) => outcome));
  // The server's own refusal of a statement, or of COMMIT by a late constraint, proves the rollback.
  const refusal = outcomes.find((outcome) => outcome.status === 'rejected' && isProvenRollback(outcome.reason));
  if (refusal?.status === 'rejected') {
    if (!leavesFit(refusal.reason)) unfit.add(client);
    throw refusal.reason;
  }
  const lost = outcomes.find((outcome) => outcome.status === 'rejected');
  if (lost?.status === 'rejected') throw new OutcomeUnknown(lost.reason);
  const results = await Promise.all(sent.map(({ outcome }) => outcome));
  // A refusal that `work` caught: the server rolls back and says so instead of failing.
  if (results.at(-1)?.command === 'ROLLBACK') throw new Error('the transaction was rolled back at COMMIT');
  results.forEach((result, index) => messages[index]?.own.onResult?.(result));
}

async function ask<Row extends QueryResultRow>(
  client: pg.PoolClient,
  one: BoundStatement,
  beginnings: readonly Statement[] = [],
): Promise<QueryResult<Row>> {
  try {
    return (await send(client, one, bare(beginnings)).outcome) as QueryResult<Row>;
  } catch (error) {
    if (!leavesFit(error)) unfit.add(client);
    throw error;
  }
}

function send(client: pg.PoolClient, one: BoundStatement, leading: readonly BoundStatement[] = []): TransactionQuery {
  const query = new TransactionQuery(one, leading);
  client.query(query as unknown as pg.Submittable);
  return query;
}

function bare(statements: readonly Statement[]): BoundStatement[] {
  return statements.map((statement) => ({ statement, values: [] }));
}

function isProvenRollback(error: unknown): boolean {
  const state = sqlState(error);
  return state !== null && !/^(08|57P)/.test(state);
}
