import { ORDER_WITHIN_MS } from './dispatch.entity.js';

/** Of `dispatch d`: what waits to be sent again, as `dispatch_line` holds it. No other index fits. Source: docs/adr/0022-planner.md */
export const OF_LINE = `'' || d.state = 'RETRY'`;
/** As `OF_LINE`, in the order of conversations, as `dispatch_order` holds it. */
export const IN_ORDER = inOrder('d');
/** The first column of both indexes. */
export const LINE = lineOf('d.organization_id', 'd.channel_id');

/** The smallest cuid for which later messages of its conversation wait: an older one is not waited for. */
export const WAITED_FOR = `cuid_floor(now() - make_interval(secs => ${ORDER_WITHIN_MS / 1_000}))`;

/** Of a `dispatch d` that was chosen and is looked up by its key: it is still due. No index fits, so that none is gone through. */
export function isStillDue(state: 'RETRY' | 'PACED'): string {
  return `nullif(d.state, '') = '${state}' AND d.due_at - interval '0' <= now()`;
}

/** Names a message and its conversation by columns of a statement. */
interface MessageColumns {
  readonly organizationId: string;
  readonly channelId: string;
  readonly contactId: string;
  readonly messageId: string;
}

/** Whether an interactive message of the conversation, older than the message given, is still to be sent; by `dispatch_order`. */
export function hasEarlierRetry(of: MessageColumns): string {
  return `EXISTS (SELECT FROM dispatch e WHERE ${inOrder('e')} AND ${isBefore(of)})`;
}

/**
 * Whether such a message is being sent again at this moment; by `dispatch_repeat`. First attempts of a process have their order by
 * `ConversationTurns`.
 */
export function hasEarlierRepeat(of: MessageColumns): string {
  return `EXISTS (SELECT FROM dispatch e WHERE CASE WHEN e.is_repeat THEN e.state END = 'DISPATCHING' AND ${isBefore(of)}
    AND e.due_at > now())`;
}

function isBefore(of: MessageColumns): string {
  return `${lineOf('e.organization_id', 'e.channel_id')} = ${lineOf(of.organizationId, of.channelId)}
    AND e.contact_id = ${of.contactId} AND e.message_id < ${of.messageId} AND e.message_id >= ${WAITED_FOR}`;
}

function inOrder(row: string): string {
  return `${row}.state || '' = 'RETRY'`;
}

function lineOf(organizationId: string, channelId: string): string {
  return `${organizationId} || ' ' || ${channelId}`;
}
