import type { UpstreamOutcome } from './upstream.js';

/** The provider's error object. Source: provider's "Error codes"; decided by `code`, not by HTTP status. */
export interface CloudError {
  readonly code: number;
  readonly message?: string;
  readonly error_data?: { readonly details?: string };
}

const DISCONNECTED = new Set([0, 3, 10, 33, 190, 131005, 131045, 133010]);
const NOT_TAKEN = new Set([2, 4, 80007, 130429, 131016, 131057, 133004]);
const SPAM_LIMIT = new Set([131048, 131064]);
const PAIR_LIMIT = 131056;
const UNKNOWN = new Set([1, 131000]);
const OPTED_OUT = 131050;

/** What an answer with an error object means for the message. */
export function outcomeOfError(error: CloudError, httpStatus: number): UpstreamOutcome {
  const { code } = error;
  const described = {
    code: String(code),
    message: (error.error_data?.details ?? error.message ?? 'no details').replaceAll('\u0000', ''),
  };
  if (UNKNOWN.has(code)) return { state: 'unknown', reason: `upstream error ${code}` };
  if (code === OPTED_OUT) return { state: 'refused', kind: 'opted-out', ...described };
  if (DISCONNECTED.has(code) || (code >= 200 && code <= 299)) {
    return { state: 'refused', kind: 'disconnected', ...described };
  }
  if (code === PAIR_LIMIT) return { state: 'not-taken', retry: 'pair', ...described };
  if (SPAM_LIMIT.has(code)) return { state: 'not-taken', retry: 'slow', ...described };
  if (NOT_TAKEN.has(code)) return { state: 'not-taken', retry: 'normal', ...described };
  // A code that we do not know: a server error may have happened after the message was taken.
  if (httpStatus >= 500) return { state: 'unknown', reason: `upstream error ${code}` };
  return { state: 'refused', kind: 'rejected', ...described };
}
