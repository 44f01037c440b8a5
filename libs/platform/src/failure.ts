import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { RpcFailure } from '@switchboard/contracts/grammar/define-rpc';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { RpcUnanswered } from '@switchboard/nats';
import { isUnavailable, OutcomeUnknown } from '@switchboard/postgres';
import type { Log } from './logger.js';

/**
 * Turns what was thrown into the refusal that the outside sees: an `AppError` as it is, a missing dependency into
 * SERVICE_UNAVAILABLE, anything else into INTERNAL without detail. Logs the last two, once.
 */
export function refusalOf(error: unknown, log: Log, unit: string): AppError {
  if (error instanceof AppError) return error;
  if (isDependencyFailure(error)) {
    log.warn('dependency.unavailable', { unit, reason: error instanceof Error ? error.message : String(error) });
    return new AppError(serviceErrors.SERVICE_UNAVAILABLE, undefined, { retryAfterSeconds: 1, cause: error });
  }
  log.error('unexpected', error, { unit });
  return new AppError(serviceErrors.INTERNAL, undefined, { cause: error });
}

/**
 * Not a bug: something we need is away. An unknown outcome counts as well; where repeating is not safe, the use case
 * catches it before and asks by its own id.
 */
function isDependencyFailure(error: unknown): boolean {
  return isUnavailable(error) || error instanceof OutcomeUnknown || error instanceof RpcUnanswered;
}

/** A refusal as it travels in the answer to an rpc. */
export function rpcFailure(error: AppError): RpcFailure {
  return {
    code: error.code,
    message: error.message,
    ...(error.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: error.retryAfterSeconds }),
    ...(error.messageId === undefined ? {} : { messageId: error.messageId }),
    ...(error.upstreamCode === undefined ? {} : { upstreamCode: error.upstreamCode }),
  };
}
