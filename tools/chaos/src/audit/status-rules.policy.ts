import type { Ledgers, StoredMessage } from '../ledger/ledgers.js';
import type { Finding } from './finding.js';

/** Source: docs/api-behaviour.md#message-status. */
const RANK: Readonly<Record<StoredMessage['status'], number>> = {
  QUEUED: 0,
  SENT: 1,
  FAILED: 2,
  DELIVERED: 3,
  READ: 4,
  RECEIVED: 5,
};
/** What a message is at least, once the upstream has reported that of it. */
const LEAST = { sent: 'SENT', failed: 'FAILED', delivered: 'DELIVERED', read: 'READ' } as const;

/**
 * Statuses that the upstream reported and we answered 200, by its own record, against the state of the message: whatever became of the
 * callback inside, its word must have arrived. A message that was accepted, and of which nothing was taken, may be in
 * doubt; one that knows that it was sent has an answer, and an upstream that lived to give it reports statuses as well.
 */
export function statusFindings({ messages, requests, taken }: Ledgers): Finding[] {
  const accepted = Map.groupBy(
    requests.filter(({ messageId }) => messageId !== null),
    ({ reference }) => reference ?? '',
  );
  return messages.flatMap(({ id, direction, status, isSent }): Finding[] => {
    const own = accepted.get(id);
    if (direction !== 'OUTBOUND' || own === undefined) return [];
    const reported = new Set(own.flatMap(({ messageId }) => [...(taken.get(messageId ?? '') ?? [])]));
    if (isSent && reported.size === 0) {
      return [{ rule: 'status.unrecorded', detail: `${id} is ${status}, and the upstream has no record of a status` }];
    }
    const least = Object.entries(LEAST).flatMap(([name, state]) => (reported.has(name) ? [RANK[state]] : []));
    if (RANK[status] >= Math.max(0, ...least)) return [];
    return [{ rule: 'status.lost', detail: `${id} is ${status}; answered 200 of it: ${[...reported].join(', ')}` }];
  });
}
