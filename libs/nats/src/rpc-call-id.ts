import type { Cuid } from '@switchboard/contracts/grammar/cuid';
import type { MsgHdrs } from '@nats-io/transport-node';

/** A cuid, the same in every try of a call. */
export const CALL_HEADER = 'Switchboard-Call';

/** The id of the call that a request is a try of; undefined from a caller of the release before. */
export function callIdOf(request: MsgHdrs | undefined): Cuid | undefined {
  return request?.get(CALL_HEADER) || undefined;
}
