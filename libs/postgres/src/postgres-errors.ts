import { types } from 'node:util';

const READ_ONLY = '25006';
const NOT_SUPPORTED = '0A000';
/** The function of the server that refuses a table which is not logged, whose contents no standby has; its words may be translated. */
const STANDBY_REFUSES = 'get_relation_info';

/**
 * A COMMIT was sent and its answer did not come: the transaction may or may not have committed.
 *
 * The caller finds out by asking for its own id; repeating blindly could double it.
 */
export class OutcomeUnknown extends Error {
  constructor(cause: unknown) {
    super('the connection broke during COMMIT; the outcome is unknown', { cause });
    this.name = 'OutcomeUnknown';
  }
}

/** The five-character SQLSTATE of an error that the server itself reported; null for anything else. */
export function sqlState(error: unknown): string | null {
  if (!types.isNativeError(error) || !('code' in error) || !('severity' in error)) return null;
  return typeof error.code === 'string' && error.code.length === 5 ? error.code : null;
}

/** True when the server is no primary (any more): it takes no writes, or has no contents of a table that is not logged. */
function isNoPrimary(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== NOT_SUPPORTED) return state === READ_ONLY;
  return types.isNativeError(error) && 'routine' in error && error.routine === STANDBY_REFUSES;
}

/**
 * Whether the connection that met an error is fit for the next caller: the server itself refused, and not because it is no primary (any
 * more). A session may stay with such a server, and so with every later refusal, when another one is.
 */
export function leavesFit(error: unknown): boolean {
  return sqlState(error) !== null && !isNoPrimary(error);
}

/** True when one row of the batch is at fault (data exception, constraint): the others may pass without it. */
export function isDataError(error: unknown): boolean {
  return /^(22|23)/.test(sqlState(error) ?? '');
}

/** True when a row with this key is there already. */
export function isUniqueViolation(error: unknown): boolean {
  return sqlState(error) === '23505';
}

/** True when the same transaction may pass if it is run again: serialization failure, deadlock. */
export function isTransientConflict(error: unknown): boolean {
  return /^(40001|40P01)$/.test(sqlState(error) ?? '');
}

/** True when a statement gave up waiting for a lock (55P03) or ran out of its time (57014): it was rolled back. */
export function isTimedOut(error: unknown): boolean {
  return /^(55P03|57014)$/.test(sqlState(error) ?? '');
}

/** True when the database cannot be reached or refuses work for now; nothing of the request is stored. */
export function isUnavailable(error: unknown): boolean {
  const state = sqlState(error);
  // 55P03, 57014, 25P03: something took longer than we let it.
  if (state !== null) return /^(08|53|57P|58|55P03|57014|25P03)/.test(state) || isNoPrimary(error);
  // Not `instanceof`: Node's own errors come from another realm wherever this code runs in a context of its own (Jest).
  if (!types.isNativeError(error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  // EMFILE and ENFILE: no descriptor is left for a connection.
  return (
    /^(EMFILE|ENFILE|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ECONNABORTED)$/.test(
      code,
    ) ||
    /connection (terminated|timeout)|timeout exceeded when trying to connect|Query read timeout|not queryable|closed the connection/i.test(
      error.message,
    )
  );
}

/** The error of work whose tenant's turn does not come in time, as that of a full pool (`isUnavailable`). */
export function tenantHasNoTurn(): Error {
  return new Error('timeout exceeded when trying to connect: the tenant has all of its connections in use');
}
