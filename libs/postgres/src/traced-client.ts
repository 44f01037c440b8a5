import type { Socket } from 'node:net';
import { context, SpanKind, SpanStatusCode, trace, type Span } from '@opentelemetry/api';
import pg from 'pg';
import { TransactionQuery } from './transaction-query.js';

const tracer = trace.getTracer('@switchboard/postgres');

/**
 * A `pg` client whose queries are spans of the trace they run in, named by their statement, never with values.
 *
 * Without a recording parent there is no span: loops that poll leave no trace. TypeORM and the hot statements share
 * the pool of these clients, so every query is seen in one place.
 */
export class TracedClient extends pg.Client {
  /**
   * A cut connection rejects its statements and emits an event, which unheard would end the process: the pool
   * hears it only while the connection is idle.
   */
  constructor(config?: pg.ClientConfig) {
    super(config);
    this.on('error', () => undefined);
  }

  // node-postgres overloads `query` in nine ways; all of them pass through with their arguments untouched.
  override query(...args: unknown[]): never {
    const forward = (): unknown => Reflect.apply(pg.Client.prototype.query, this, args);
    const parent = trace.getSpan(context.active());
    if (!parent?.isRecording()) return forward() as never;
    const name = statementName(args[0]);
    const span = tracer.startSpan(name, {
      kind: SpanKind.CLIENT,
      attributes: { 'db.system.name': 'postgresql', 'db.query.summary': summaryOf(args[0], name) },
    });
    const result = forward();
    const outcome = result instanceof TransactionQuery ? result.outcome : result;
    if (outcome instanceof Promise) {
      outcome.then(
        () => span.end(),
        (error: unknown) => fail(span, error),
      );
    } else span.end();
    return result as never;
  }
}

/**
 * Lets everything that is asked of the client until the end of this turn leave in one write: a system call per statement
 * is what a pipeline costs most.
 */
export function inOneWrite(client: pg.ClientBase): void {
  // Corking it is what node-postgres does itself around one statement.
  const stream = socketOf(client);
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/** Ends a connection at once, whatever is under way. */
export function cut(client: pg.ClientBase): void {
  socketOf(client).destroy();
}

/** node-postgres names it nowhere in its types. */
function socketOf(client: pg.ClientBase): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream;
}

/** Of a query that takes others along: what it is made of. */
function summaryOf(query: unknown, name: string): string {
  return query instanceof TransactionQuery ? query.summary : name;
}

/** The statement's name, or its first word for unnamed SQL: never its text, which might hold a literal. */
function statementName(query: unknown): string {
  if (typeof query === 'object' && query !== null && 'name' in query && typeof query.name === 'string') {
    return query.name;
  }
  const text = typeof query === 'object' && query !== null && 'text' in query ? query.text : query;
  return typeof text === 'string' ? (/^\s*(\w+)/.exec(text)?.[1]?.toUpperCase() ?? 'SQL') : 'SQL';
}

/** Only the SQLSTATE: the server's message may quote a row. */
function fail(span: Span, error: unknown): void {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  span.setAttribute('db.response.status_code', code);
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}
