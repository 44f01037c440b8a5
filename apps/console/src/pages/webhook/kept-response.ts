/** At most so many bytes of a response are kept. Source: docs/api-behaviour.md#webhooks-replay. */
const KEPT_BYTES = 1_024;
/** A last character that is cut is dropped; it has one byte more than this at most. */
const DROPPED_BYTES = 3;

/** Whether a kept response comes as far as is kept of any: all of it may have come, or more than is shown. Which one, is not recorded. */
export function mayBeCut(body: string): boolean {
  return new TextEncoder().encode(body).length >= KEPT_BYTES - DROPPED_BYTES;
}
