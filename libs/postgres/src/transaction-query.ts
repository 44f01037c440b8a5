import type { Socket } from 'node:net';
import pg, { type QueryResult } from 'pg';
import { prepared, statement, type Statement } from './statement.js';

/** What a query of node-postgres writes itself onto; its types do not show it. */
interface Wire {
  readonly stream: Socket;
  bind(message: { portal: string; statement: string; values: unknown[] }): void;
  execute(message: { portal: string; rows: number }): void;
}

interface InnerQuery {
  submit(wire: Wire): Error | null;
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

/** How long work of many tenants waits for a lock; `isProbe`: a try of one of them alone. A setting of `lock_timeout`. */
export function lockTimeout({ isProbe = false }: { readonly isProbe?: boolean } = {}): string {
  return isProbe ? '100ms' : '500ms';
}

/** As `beginStatement`, for transactions of many tenants: what one of them has locked must not hold up the others. */
export const shortLocksStatement = statement('transaction.short-locks', `SET LOCAL lock_timeout = '${lockTimeout()}'`);

/** As `shortLocksStatement`, for a try of one of them alone. */
export const probeLocksStatement = statement(
  'transaction.probe-locks',
  `SET LOCAL lock_timeout = '${lockTimeout({ isProbe: true })}'`,
);

/** A prepared statement that rejects at once when it has not left, and may take along what begins the transaction. */
export class TransactionQuery extends InnerQuery {
  readonly outcome: Promise<QueryResult>;
  /** Why the client itself did not send it; known when it has been asked of the client. */
  refusal: unknown;
  private isSubmitting = false;
  private beginningsLeft: number;

  /**
   * @param beginnings sent before it and nothing between: when one fails the server skips the statement as well, where on
   * its own it would be committed by itself. Only such as the connection has prepared
   */
  constructor(
    readonly name: string,
    query: ReturnType<typeof prepared>,
    { promise, resolve, reject }: PromiseWithResolvers<QueryResult>,
    private readonly beginnings: readonly Statement[],
  ) {
    super(query, undefined, (error, result) => (error ? reject(error) : resolve(result)));
    this.outcome = promise;
    this.beginningsLeft = beginnings.length;
  }

  static of(own: Statement, values: readonly unknown[], beginnings: readonly Statement[]): TransactionQuery {
    return new TransactionQuery(own.name, prepared(own, values), Promise.withResolvers(), beginnings);
  }

  override submit(wire: Wire): Error | null {
    this.isSubmitting = true;
    wire.stream.cork();
    try {
      for (const { name } of this.beginnings) {
        wire.bind({ portal: '', statement: name, values: [] });
        wire.execute({ portal: '', rows: 0 });
      }
      const refusal = super.submit(wire);
      if (refusal) this.refusal = refusal;
      // A BEGIN has left without the end of its message: nothing that follows on this connection would be understood.
      if (refusal && this.beginnings.length > 0) wire.stream.destroy();
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

  override handleCommandComplete(message: unknown, wire: Wire): void {
    // The first ones are of BEGIN and its company.
    if (this.beginningsLeft > 0) this.beginningsLeft--;
    else super.handleCommandComplete(message, wire);
  }
}
