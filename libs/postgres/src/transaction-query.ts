import type { Socket } from 'node:net';
import pg, { type QueryResult } from 'pg';
import { prepared, statement, type Statement } from './statement.js';

/** What a query of node-postgres writes itself onto; its types do not show it. */
interface Wire {
  readonly stream: Socket;
  /** Text by name. */
  readonly parsedStatements: Readonly<Record<string, string>>;
  bind(message: unknown): void;
  execute(message: unknown): void;
}

interface InnerQuery {
  submit(wire: Wire): Error | null;
  handleDataRow(message: unknown): void;
  handleError(error: unknown, wire: Wire): void;
  handleCommandComplete(message: unknown, wire: Wire): void;
}

type Callback = (error: Error | undefined, result: QueryResult) => void;
const InnerQuery = pg.Query as unknown as new (
  query: ReturnType<typeof prepared>,
  values: undefined,
  callback: Callback,
) => InnerQuery;

/** To be run by itself once on each connection, so that later ones may travel with a statement. */
export const beginStatement = statement('transaction.begin', 'BEGIN');

/** For how many milliseconds work of many tenants waits for a lock: `LockTrouble` says when it is less than usual. */
export type LockWaitMs = 500 | 200 | 100 | 50;

/** Of ordinary work of many tenants. */
export const USUAL_LOCK_WAIT_MS = 500;

/** A setting of `lock_timeout`. */
export function lockTimeout(waitMs: LockWaitMs = USUAL_LOCK_WAIT_MS): string {
  return `${waitMs}ms`;
}

/** As `beginStatement`, for transactions of many tenants: what one of them has locked must not hold up the others. */
export const shortLocksStatements: Readonly<Record<LockWaitMs, Statement>> = {
  500: shortLocks(500),
  200: shortLocks(200),
  100: shortLocks(100),
  50: shortLocks(50),
};

/** To be sent behind everything else of a transaction. Its name is what spans show. */
export const commitStatement = statement('COMMIT', 'COMMIT');

/** A statement with its values. */
export interface BoundStatement {
  readonly statement: Statement;
  readonly values: readonly unknown[];
}

/**
 * A prepared statement that rejects at once when it has not left, and may take along what goes before it.
 *
 * What it takes along, such statements as the connection has prepared, leaves with it under one Sync: when one fails the server
 * skips all that follow, this one too; and answers them together, where each by itself costs the server and us a system call. Their
 * rows are not seen.
 */
export class TransactionQuery extends InnerQuery {
  readonly outcome: Promise<QueryResult>;
  /** What leaves, in its order. */
  readonly summary: string;
  /** Why the client itself did not send it; known when it has been asked of the client. */
  refusal: unknown;
  private isSubmitting = false;
  private leadingLeft: number;

  constructor(
    { statement: own, values }: BoundStatement,
    private readonly leading: readonly BoundStatement[],
    { promise, resolve, reject }: PromiseWithResolvers<QueryResult> = Promise.withResolvers(),
  ) {
    super(prepared(own, values), undefined, (error, result) => (error ? reject(error) : resolve(result)));
    this.outcome = promise;
    this.leadingLeft = leading.length;
    this.summary = [...leading.map((one) => one.statement.name), own.name].join(' ');
  }

  override submit(wire: Wire): Error | null {
    this.isSubmitting = true;
    wire.stream.cork();
    try {
      for (const one of this.leading) this.refusal ??= runUnseen(one, wire);
      const refusal = this.refusal === undefined ? super.submit(wire) : null;
      if (refusal) this.refusal = refusal;
      // Statements have left without the end of their message: nothing that follows on this connection would be understood.
      if (this.refusal !== undefined && this.leading.length > 0) wire.stream.destroy();
      return refusal;
    } finally {
      wire.stream.uncork();
      this.isSubmitting = false;
    }
  }

  override handleError(error: unknown, wire: Wire): void {
    if (this.isSubmitting) this.refusal = error;
    super.handleError(error, wire);
  }

  override handleDataRow(message: unknown): void {
    if (this.leadingLeft === 0) super.handleDataRow(message);
  }

  override handleCommandComplete(message: unknown, wire: Wire): void {
    if (this.leadingLeft > 0) this.leadingLeft--;
    else super.handleCommandComplete(message, wire);
  }
}

/** Whether the connection has prepared the statement. */
export function isPrepared(client: pg.ClientBase, { name }: Statement): boolean {
  const { connection } = client as unknown as { readonly connection: Wire };
  return connection.parsedStatements[name] !== undefined;
}

/** Has node-postgres bind and run a prepared statement without asking of its rows or ending the message. @returns why it did not */
function runUnseen({ statement: own, values }: BoundStatement, wire: Wire): unknown {
  let refusal: unknown;
  const query = new InnerQuery(prepared(own, values), undefined, (error) => (refusal = error));
  const nothing = (): void => undefined;
  const bare = { describe: nothing, sync: nothing, close: nothing };
  return query.submit(Object.assign(Object.create(wire) as Wire, bare)) ?? refusal;
}

function shortLocks(waitMs: LockWaitMs): Statement {
  return statement(`transaction.locks-${waitMs}-ms`, `SET LOCAL lock_timeout = '${lockTimeout(waitMs)}'`);
}
