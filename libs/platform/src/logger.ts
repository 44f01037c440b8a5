import { types } from 'node:util';
import { context, trace } from '@opentelemetry/api';
import type { LoggerService } from '@nestjs/common';
import { sqlState } from '@switchboard/postgres';
import { pino, type LoggerOptions } from 'pino';
import { standardOutput, type LogOutput } from './log-output.js';

/** Facts of a line: ids, outcome, `durationMs`; never a body, a key or a phone number. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** One JSON line per unit of work, with the trace it belongs to. */
export interface Log {
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  /** `error` is written with its stack and its causes. */
  error(event: string, error: unknown, fields?: LogFields): void;
}

/**
 * A log of a service on standard output.
 *
 * @param destination takes the lines in its place: for tests
 */
export function createLog(service: string, destination: LogOutput = standardOutput()): Log & LoggerService {
  const options: LoggerOptions = {
    base: { service },
    messageKey: 'event',
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label) => ({ level: label }) },
    mixin: () => {
      const span = trace.getSpanContext(context.active());
      return span ? { traceId: span.traceId } : {};
    },
  };
  const out = pino(options, destination);
  const nest = (level: 'info' | 'warn' | 'debug') => (message: unknown, source?: unknown) =>
    out[level]({ source: typeof source === 'string' ? source : undefined, detail: String(message) }, 'framework');
  return {
    info: (event, fields) => out.info(fields ?? {}, event),
    warn: (event, fields) => out.warn(typeof fields === 'object' ? fields : {}, event),
    error: (event, error, fields) =>
      out.error({ ...(typeof fields === 'object' ? fields : {}), error: describe(error) }, event),
    log: nest('debug'),
    debug: nest('debug'),
    verbose: nest('debug'),
  };
}

/**
 * What an error may show in a log. Detail and parameters of database errors quote rows and are left out, and so is a
 * message that quotes what could not be read.
 */
function describe(error: unknown): unknown {
  if (!isError(error)) return { message: String(error) };
  const isQuoting = quotesData(error);
  return {
    name: error.name,
    message: isQuoting ? 'left out: it may quote data' : error.message,
    code: 'code' in error ? error.code : undefined,
    stack: isQuoting ? error.stack?.replace(/^.*?(?=\n {4}at )/s, error.name) : error.stack,
    cause: error.cause === undefined ? undefined : describe(error.cause),
  };
}

/** What `JSON.parse` could not read, and what PostgreSQL could not take as a value of a type (class 22: data exception). */
function quotesData(error: Error): boolean {
  return error.name === 'SyntaxError' || sqlState(error)?.startsWith('22') === true;
}

/** Not `instanceof` alone: Node's own errors come from another realm wherever this code runs in a context of its own (Jest). */
function isError(error: unknown): error is Error {
  return error instanceof Error || types.isNativeError(error);
}
