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

/** A prepared statement that rejects at once when it has not left, and may take BEGIN along. */
export class TransactionQuery extends InnerQuery {
  readonly outcome: Promise<QueryResult>;
  /** Why the client itself did not send it; known when it has been asked of the client. */
  refusal: unknown;
  private isSubmitting = false;
  private isBeginning: boolean;

  /**
   * @param begins sends BEGIN before it and nothing between: when that fails the server skips the statement as well, where
   * on its own it would be committed by itself. Only on a connection that knows `beginStatement`
   */
  constructor(
    readonly name: string,
    query: ReturnType<typeof prepared>,
    { promise, resolve, reject }: PromiseWithResolvers<QueryResult>,
    private readonly begins: boolean,
  ) {
    super(query, undefined, (error, result) => (error ? reject(error) : resolve(result)));
    this.outcome = promise;
    this.isBeginning = begins;
  }

  static of(own: Statement, values: readonly unknown[], begins: boolean): TransactionQuery {
    return new TransactionQuery(own.name, prepared(own, values), Promise.withResolvers(), begins);
  }

  override submit(wire: Wire): Error | null {
    this.isSubmitting = true;
    wire.stream.cork();
    try {
      if (this.begins) {
        wire.bind({ portal: '', statement: beginStatement.name, values: [] });
        wire.execute({ portal: '', rows: 0 });
      }
      const refusal = super.submit(wire);
      if (refusal) this.refusal = refusal;
      // A BEGIN has left without the end of its message: nothing that follows on this connection would be understood.
      if (refusal && this.begins) wire.stream.destroy();
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
    // The first one is of BEGIN.
    if (!this.isBeginning) super.handleCommandComplete(message, wire);
    this.isBeginning = false;
  }
}
