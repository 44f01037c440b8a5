import { context, trace } from '@opentelemetry/api';
import type { LoggerService } from '@nestjs/common';
import { pino } from 'pino';

/** Facts of a line: ids, outcome, `durationMs`; never a body, a key or a phone number. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** One JSON line per unit of work, with the trace it belongs to. */
export interface Log {
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  /** `error` is written with its stack and its causes. */
  error(event: string, error: unknown, fields?: LogFields): void;
}

/** A log of a service on standard output. */
export function createLog(service: string): Log & LoggerService {
  const out = pino({
    base: { service },
    messageKey: 'event',
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label) => ({ level: label }) },
    mixin: () => {
      const span = trace.getSpanContext(context.active());
      return span ? { traceId: span.traceId } : {};
    },
  });
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
 * What an error may show in a log. Detail and parameters of database errors quote rows and are left out.
 */
function describe(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  return {
    name: error.name,
    message: error.message,
    code: 'code' in error ? error.code : undefined,
    stack: error.stack,
    cause: error.cause === undefined ? undefined : describe(error.cause),
  };
}
