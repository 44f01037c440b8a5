import type { Ledgers, RecordedEvent, StoredMessage } from '../ledger/ledgers.js';
import type { Finding } from './finding.js';

/** What may be said of a message at most once. */
const ONCE_PER_MESSAGE = /^messaging\.message\./;
/** Services that write an aggregate's events under its lock: only there the positions are the order of the commits. */
const LOCKED = /^(contacts|messaging)\./;

/** What was committed against what a consumer saw: all of it, once each, in order, and true. */
export function eventFindings(ledgers: Ledgers): Finding[] {
  const { deadLetters, unapplied } = ledgers;
  return [
    ...deliveryFindings(ledgers),
    ...doubledFindings(ledgers.outbox),
    ...sequenceFindings(ledgers),
    ...orderFindings(ledgers),
    ...stateFindings(ledgers),
    ...unapplied.map((detail): Finding => ({ rule: 'event.unapplied', detail })),
    ...deadLetters.map((detail): Finding => ({ rule: 'event.dead', detail })),
  ];
}

function deliveryFindings({ outbox, seen }: Ledgers): Finding[] {
  const committed = new Map(outbox.map((event) => [event.id, event]));
  const sighted = new Map(seen.map((event) => [event.id, event]));
  const nameOf = (event: RecordedEvent): string => `${event.subject} ${event.id} of ${event.aggregateId}`;
  return [
    ...outbox
      .filter(({ id }) => !sighted.has(id))
      .map((event): Finding => {
        const where = event.isPublished ? 'published' : 'still in the outbox';
        return { rule: 'event.missing', detail: `${nameOf(event)} is ${where} and was never seen` };
      }),
    ...seen
      .filter(({ id }) => !committed.has(id))
      .map((event): Finding => ({ rule: 'event.unknown', detail: `${nameOf(event)} is in no outbox` })),
    ...seen
      .filter(({ id, digest }) => (committed.get(id)?.digest ?? digest) !== digest)
      .map((event): Finding => ({ rule: 'event.changed', detail: nameOf(event) })),
  ];
}

function doubledFindings(events: readonly RecordedEvent[]): Finding[] {
  const once = events.filter(({ subject, messageId }) => messageId !== null && ONCE_PER_MESSAGE.test(subject));
  const groups = Map.groupBy(once, ({ subject, messageId }) => `${subject} of ${messageId}`);
  return [...groups]
    .filter(([, group]) => group.length > 1)
    .map(([what, group]) => ({ rule: 'event.doubled', detail: `${what}: ${group.map(({ id }) => id).join(', ')}` }));
}

/** By first sight: a consumer that keeps the highest number would otherwise drop a fact or wait for one for ever. */
function sequenceFindings({ seen, sequences }: Ledgers): Finding[] {
  const last = new Map<string, number>();
  const findings: Finding[] = [];
  for (const { id, subject, aggregateId, sequence } of seen) {
    if (sequence === null) continue;
    const before = last.get(aggregateId);
    if (before !== undefined && sequence !== before + 1 && !isRaised(subject, before, sequence)) {
      findings.push({ rule: 'event.sequence', detail: `${aggregateId}: ${sequence} (${id}) came after ${before}` });
    }
    last.set(aggregateId, Math.max(sequence, before ?? 0));
  }
  for (const [aggregateId, sequence] of sequences) {
    const sighted = last.get(aggregateId);
    if (sighted === undefined || sighted === sequence) continue;
    findings.push({
      rule: 'event.sequence',
      detail: `${aggregateId}: ${sequence} given out, ${sighted} the last seen`,
    });
  }
  return findings;
}

/** Contacts that change before a new start of PostgreSQL is known to be no restore go on above its moment in milliseconds (ADR 0039). */
function isRaised(subject: string, before: number, sequence: number): boolean {
  return subject.startsWith('contacts.') && sequence - before > 1_000 && sequence > Date.UTC(2020, 0);
}

/**
 * Events that do not count have no number to be missed by: their order is that of their positions. Of aggregates that count
 * throughout the numbers say it better, and once.
 */
function orderFindings({ outbox, seen }: Ledgers): Finding[] {
  const firstSeen = new Map(seen.map(({ id }, at) => [id, at]));
  const ordered = outbox.filter(({ subject, id }) => LOCKED.test(subject) && firstSeen.has(id));
  const streams = Map.groupBy(ordered, ({ subject, aggregateId }) => `${subject.split('.')[0]} ${aggregateId}`);
  return [...streams].flatMap(([aggregate, events]) =>
    events.flatMap((event, at): Finding[] => {
      const before = events[at - 1];
      if (before === undefined || (before.sequence !== null && event.sequence !== null)) return [];
      if ((firstSeen.get(before.id) ?? 0) < (firstSeen.get(event.id) ?? 0)) return [];
      const detail = `${aggregate}: ${event.subject} ${event.id} came before ${before.subject} ${before.id}`;
      return [{ rule: 'event.order', detail }];
    }),
  );
}

/** Of a message that was accepted before the mark these ledgers have only the later events. */
function stateFindings({ messages, seen }: Ledgers): Finding[] {
  const ofMessage = Map.groupBy(seen, ({ messageId }) => messageId ?? '');
  return messages.flatMap((message) => {
    if (message.isCarriedOver) return [];
    const names = new Set((ofMessage.get(message.id) ?? []).map(({ subject }) => subject.split('.')[2] ?? ''));
    const missing = expectedOf(message).filter((name) => !names.has(name));
    const wrong = impossibleOf(message).filter((name) => names.has(name));
    if (missing.length + wrong.length === 0) return [];
    const detail = `${message.id} is ${message.status}; emitted of it: ${[...names].join(', ')}`;
    return [{ rule: 'event.disagrees' as const, detail }];
  });
}

/** The events that must have been emitted of a message in that state. */
function expectedOf({ direction, status, isSent }: StoredMessage): string[] {
  if (direction === 'INBOUND') return ['received'];
  const emitted = ['accepted', ...(isSent ? ['sent'] : [])];
  if (status === 'DELIVERED' || status === 'READ') emitted.push('delivered');
  if (status === 'READ') emitted.push('read');
  if (status === 'FAILED') emitted.push('failed');
  return emitted;
}

/** Events that cannot have been emitted of it; `failed` may accompany DELIVERED, which came later and corrected it. */
function impossibleOf({ direction, status, isSent }: StoredMessage): string[] {
  if (direction === 'INBOUND') return ['accepted', 'sent', 'delivered', 'read', 'failed'];
  const wrong = ['received', ...(isSent ? [] : ['sent'])];
  if (status !== 'DELIVERED' && status !== 'READ') wrong.push('delivered');
  if (status !== 'READ') wrong.push('read');
  if (status === 'QUEUED' || status === 'SENT') wrong.push('failed');
  return wrong;
}
