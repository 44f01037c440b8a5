import { cuidTime } from '@switchboard/contracts/grammar/cuid';
import type { EventDefinition } from '@switchboard/contracts/grammar/define-event';
import { ERASED } from '@switchboard/contracts/messaging/code-words';
import {
  messageCorrected,
  messageDelivered,
  messageFailed,
  messageRead,
  messageSent,
  type MessageEventData,
} from '@switchboard/contracts/messaging/events';
import { appendEvents, type NewEvent } from '@switchboard/outbox';
import { statement, type Transaction, unnestColumns } from '@switchboard/postgres';
import { lockMessages, type MessageKey } from './lock-messages.js';
import type { Message } from './message.entity.js';
import { shownTimes, withFact, type Milestone, type ProgressFact } from './message-progress.policy.js';
import { messageEventData } from './message-view.js';
import { monthFloor } from './month-floor.js';
import { progressTraceparent } from './progress-span.js';

/** Something that became known of a stored outbound message. */
export interface ProgressReport extends MessageKey {
  readonly fact: ProgressFact;
  /** True for a conclusion from elapsed time alone: it counts only while nothing else is known. */
  readonly onlyIfQueued?: boolean;
  /** The upstream's id, where the report knows it. */
  readonly upstreamMessageId: string | null;
  /** The trace that brought the fact; null outside of one. */
  readonly traceparent: string | null;
}

/** Fails a message that nothing is known of by now: evidence that came before stands. */
export function failedIfQueued(
  { organizationId, messageId }: MessageKey,
  at: Date,
  failure: { readonly code: string; readonly message: string },
): ProgressReport {
  const fact = { type: 'failed', at, ...failure, afterSending: false } as const;
  return { organizationId, messageId, fact, onlyIfQueued: true, upstreamMessageId: null, traceparent: null };
}

const updateSql = statement(
  'messaging.message.progress',
  `UPDATE message m SET status = p.status, upstream_message_id = p.upstream_message_id, error_code = p.error_code,
     error_message = p.error_message, sent_at = p.sent_at, delivered_at = p.delivered_at, read_at = p.read_at,
     failed_at = p.failed_at
   FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[],
     $8::timestamptz[], $9::timestamptz[], $10::timestamptz[])
     AS p(organization_id, id, status, upstream_message_id, error_code, error_message, sent_at, delivered_at, read_at,
       failed_at)
   WHERE m.organization_id = p.organization_id AND m.id = p.id`,
);
const sequenceSql = statement(
  'messaging.conversation.sequence',
  `UPDATE conversation c SET event_sequence = s.event_sequence
   FROM unnest($1::text[], $2::text[], $3::bigint[]) AS s(organization_id, id, event_sequence)
   WHERE c.organization_id = s.organization_id AND c.id = s.id`,
);
/** Evidence settles whatever is open of a message: the row is gone with the question. */
const closeSql = statement(
  'messaging.dispatch.close',
  `DELETE FROM dispatch d USING unnest($1::text[], $2::text[]) AS done(organization_id, message_id)
   WHERE d.organization_id = done.organization_id AND d.message_id = done.message_id`,
);
const mapSql = statement(
  'messaging.upstream-message.map',
  `INSERT INTO upstream_message (channel_id, upstream_message_id, organization_id, message_id, month)
   SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) ORDER BY 1, 2 ON CONFLICT DO NOTHING`,
);

const EVENT_OF: Readonly<Record<Milestone | 'corrected', EventDefinition<MessageEventData>>> = {
  sent: messageSent,
  delivered: messageDelivered,
  read: messageRead,
  failed: messageFailed,
  corrected: messageCorrected,
};

/**
 * Applies reports to their messages, in the order given, with the events they bring about.
 *
 * Reports may repeat, contradict and come in any order; see `withFact`. One lock statement, the rest travels with
 * COMMIT.
 *
 * @param alsoLocked messages whose dispatch rows the same transaction touches
 * @returns the ids of messages that exist; a report on any other changed nothing
 */
export async function recordProgress(
  tx: Transaction,
  reports: readonly ProgressReport[],
  alsoLocked: readonly MessageKey[] = [],
): Promise<Set<string>> {
  const locked = await lockMessages(tx, [...reports, ...alsoLocked]);
  const messages = new Map(locked.map((row) => [`${row.organizationId} ${row.id}`, row]));
  const sequences = new Map(locked.map((row) => [row.conversationId, Number(row.eventSequence)]));
  const changed = new Set<string>();
  const eventful = new Set<string>();
  const events: NewEvent<MessageEventData>[] = [];

  for (const report of reports) {
    const key = `${report.organizationId} ${report.messageId}`;
    const before = messages.get(key);
    if (!before || (report.onlyIfQueued && (before.status !== 'QUEUED' || before.sentAt))) continue;
    const { progress, milestones } = withFact(before, report.fact);
    const upstreamMessageId = before.upstreamMessageId ?? report.upstreamMessageId;
    const after = { ...before, ...progress, upstreamMessageId };
    if (before.isErased && after.errorMessage && after.errorCode !== ERASED) after.errorMessage = '';
    messages.set(key, after);
    changed.add(key);
    const traceparent = progressTraceparent(before, report);
    const isCorrected = milestones.length === 0 && isShownOtherwise(before, after);
    for (const milestone of isCorrected ? (['corrected'] as const) : milestones) {
      const sequence = (sequences.get(before.conversationId) ?? 0) + 1;
      sequences.set(before.conversationId, sequence);
      eventful.add(before.conversationId);
      events.push(milestoneEvent(after, milestone, sequence, traceparent));
    }
  }
  const rows = [...changed].flatMap((key) => messages.get(key) ?? []);
  write(tx, rows);
  const numbered = locked.filter(({ conversationId }) => eventful.has(conversationId));
  const conversations = new Map(numbered.map((row) => [row.conversationId, row.organizationId]));
  if (conversations.size > 0) {
    const numbers = [...conversations.keys()].map((id) => sequences.get(id));
    tx.atCommit(sequenceSql, [[...conversations.values()], [...conversations.keys()], numbers]);
  }
  appendEvents(tx, events);
  return new Set(locked.map(({ id }) => id));
}

function write(tx: Transaction, rows: readonly Message[]): void {
  if (rows.length === 0) return;
  const columns = unnestColumns(rows, [
    'organizationId',
    'id',
    'status',
    'upstreamMessageId',
    'errorCode',
    'errorMessage',
    'sentAt',
    'deliveredAt',
    'readAt',
    'failedAt',
  ]);
  tx.atCommit(updateSql, columns);
  tx.atCommit(closeSql, columns.slice(0, 2));
  const mapped = rows.filter((m) => m.upstreamMessageId !== null);
  if (mapped.length === 0) return;
  const month = ({ id }: Message): string => monthFloor(cuidTime(id));
  tx.atCommit(mapSql, unnestColumns(mapped, ['channelId', 'upstreamMessageId', 'organizationId', 'id', month]));
}

function milestoneEvent(
  message: Message,
  milestone: Milestone | 'corrected',
  sequence: number,
  traceparent: string | null,
): NewEvent<MessageEventData> {
  const { sentAt: sent, deliveredAt: delivered, readAt: read, failedAt: failed } = shownTimes(message);
  const happenedAt = { sent, delivered, read, failed, corrected: null };
  return {
    event: EVENT_OF[milestone],
    organizationId: message.organizationId,
    aggregateId: message.conversationId,
    sequence,
    occurredAt: happenedAt[milestone] ?? cuidTime(message.id),
    data: messageEventData(message),
    traceparent,
  };
}

/** Whether anything of its progress that the outside sees is another one. */
function isShownOtherwise(before: Message, after: Message): boolean {
  const [former, present] = [shownTimes(before), shownTimes(after)];
  const hasOtherTime = (['sentAt', 'deliveredAt', 'readAt', 'failedAt'] as const).some(
    (name) => former[name]?.getTime() !== present[name]?.getTime(),
  );
  return hasOtherTime || (after.status === 'FAILED' && before.errorCode !== after.errorCode);
}
