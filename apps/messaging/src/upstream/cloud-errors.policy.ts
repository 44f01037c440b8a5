import type { RefusalKind, UpstreamOutcome } from './upstream.js';

/** The provider's error object. Source: provider's "Error codes"; decided by `code`, not by HTTP status. */
export interface CloudError {
  readonly code: number;
  readonly message?: unknown;
  readonly error_data?: { readonly details?: unknown } | null;
}

/** A 401 without an error object: the token is refused, and its status stands for the code. */
export const TOKEN_REFUSED = { kind: 'disconnected', code: '401', message: 'the access token was refused' } as const;

const DISCONNECTED = new Set([0, 3, 10, 33, 190, 131005, 131045, 133010]);
const NOT_TAKEN = new Set([2, 131016, 131057, 133004]);
const THROUGHPUT_LIMIT = new Set([4, 80007, 130429]);
const SPAM_LIMIT = new Set([131048, 131064]);
const PAIR_LIMIT = 131056;
const UNKNOWN = new Set([1, 131000]);
/** Refusals for good; DISCONNECTED and 200 to 299 are further ones. */
const REFUSED: ReadonlyMap<number, RefusalKind> = new Map([
  [131050, 'opted-out'],
  // Locked, against a policy, not for this country, not paid.
  ...[131031, 368, 130497, 131042].map((code) => [code, 'blocked'] as const),
  [132001, 'template-missing'],
  [132015, 'template-paused'],
  [132016, 'template-disabled'],
  // Of this message alone: undeliverable, blocked, an experiment, the window, held back; then content and variables.
  ...[131026, 130403, 130472, 131047, 131049].map((code) => [code, 'rejected'] as const),
  ...[131021, 131008, 131009, 100, 135000, 132000, 132005, 132007, 132012].map((code) => [code, 'rejected'] as const),
]);

/** Every code that is decided here by itself; 200 to 299, which are permissions, are further ones. */
export const knownCodes: ReadonlySet<number> = new Set([
  ...DISCONNECTED,
  ...NOT_TAKEN,
  ...THROUGHPUT_LIMIT,
  ...SPAM_LIMIT,
  PAIR_LIMIT,
  ...UNKNOWN,
  ...REFUSED.keys(),
]);

/** What an answer with an error object means for the message. */
export function outcomeOfError(error: CloudError, httpStatus: number): UpstreamOutcome {
  const { code } = error;
  const described = {
    code: String(code),
    message: (textOf(error.error_data?.details) ?? textOf(error.message) ?? 'no details').replaceAll('\u0000', ''),
  };
  if (UNKNOWN.has(code)) return { state: 'unknown', reason: `upstream error ${code}`, code: described.code };
  const kind = REFUSED.get(code);
  if (kind) return { state: 'refused', kind, ...described };
  if (DISCONNECTED.has(code) || (code >= 200 && code <= 299)) {
    return { state: 'refused', kind: 'disconnected', ...described };
  }
  if (code === PAIR_LIMIT) return { state: 'not-taken', retry: 'pair', limit: 'pair', ...described };
  if (SPAM_LIMIT.has(code)) return { state: 'not-taken', retry: 'slow', limit: 'spam', ...described };
  if (THROUGHPUT_LIMIT.has(code)) return { state: 'not-taken', retry: 'normal', limit: 'throughput', ...described };
  if (NOT_TAKEN.has(code)) return { state: 'not-taken', retry: 'normal', ...described };
  // A code that we do not know: a server error may have happened after the message was taken.
  if (httpStatus >= 500) return { state: 'unknown', reason: `upstream error ${code}`, code: described.code };
  return { state: 'refused', kind: 'rejected', ...described };
}

/** A definite refusal is one, whatever its explanation looks like. */
function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
