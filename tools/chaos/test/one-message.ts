import { audit } from '../src/audit/audit.js';
import { numbersOf } from '../src/ledger/number-book.js';
import type { Ledgers, RecordedEvent, Send, StoredMessage, UpstreamRequest } from '../src/ledger/ledgers.js';

type Answered = Extract<Send['outcome'], { kind: 'answered' }>;

/** The answer to the caller of the one message. */
export const ANSWER: Answered = {
  kind: 'answered',
  status: 200,
  code: null,
  id: 'cmessage1',
  headerId: null,
  contactId: 'ccontact1',
  conversationId: 'cconversation1',
  upstreamMessageId: 'wamid.1',
  undescribed: [],
};
/** The send of it. */
export const SEND: Send = {
  text: 'chaos 1',
  organizationId: 'corganization1',
  to: '+14152000001',
  isFirstTo: true,
  startedMs: 0,
  endedMs: 1,
  outcome: ANSWER,
};
/** Its row. */
export const MESSAGE: StoredMessage = {
  id: 'cmessage1',
  organizationId: 'corganization1',
  conversationId: 'cconversation1',
  contactId: 'ccontact1',
  direction: 'OUTBOUND',
  text: 'chaos 1',
  status: 'DELIVERED',
  upstreamMessageId: 'wamid.1',
  errorCode: null,
  isSent: true,
  dispatch: null,
  isCarriedOver: false,
};
/** The upstream’s record of it. */
export const REQUEST: UpstreamRequest = {
  reference: 'cmessage1',
  outcome: 'answered',
  refusedWith: null,
  messageId: 'wamid.1',
};
/** The events of it. */
export const EVENTS = ['accepted', 'sent', 'delivered'].map((name, index): RecordedEvent => {
  const common = { aggregateId: 'cconversation1', messageId: 'cmessage1', digest: `digest ${name}` };
  return { id: `cevent${index + 1}`, subject: `messaging.message.${name}.v1`, sequence: index + 1, ...common };
});

/** Which statuses of it were answered 200. */
export const TAKEN: Ledgers['taken'] = new Map([['wamid.1', new Set(['sent', 'delivered'])]]);

/** Ledgers of one message that went well, but for what a test tampers with. */
export function ledgers(tampered: Partial<Ledgers> = {}): Ledgers {
  return {
    sends: [SEND],
    inbound: [],
    messages: [MESSAGE],
    deadLetters: [],
    requests: [REQUEST],
    taken: TAKEN,
    outbox: EVENTS.map((event) => ({ ...event, isPublished: true })),
    seen: EVENTS,
    unapplied: [],
    sequences: new Map([['cconversation1', 3]]),
    numbers: numbersOf(tampered.sends ?? [SEND]),
    ...tampered,
  };
}

/** The send, with another answer. */
export function answered(changed: Partial<Answered>): readonly Send[] {
  return [{ ...SEND, outcome: { ...ANSWER, ...changed } }];
}

/** The row, changed. */
export function message(changed: Partial<StoredMessage>): readonly StoredMessage[] {
  return [{ ...MESSAGE, ...changed }];
}

/** The events by the number in their id, as they were seen. */
export function seen(...numbers: readonly number[]): readonly RecordedEvent[] {
  return numbers.flatMap((number) => EVENTS.filter(({ id }) => id === `cevent${number}`));
}

/** What the auditor finds in ledgers that were tampered with. */
export function rulesOf(tampered: Partial<Ledgers>): string[] {
  return [...new Set(audit(ledgers(tampered)).findings.map(({ rule }) => rule))].toSorted();
}

/** A message of a contact. */
export const INBOUND: StoredMessage = {
  ...MESSAGE,
  id: 'cmessage2',
  direction: 'INBOUND',
  status: 'RECEIVED',
  text: 'hello',
  upstreamMessageId: 'wamid.in',
  isSent: false,
};
/** The event of the message of a contact. */
export const RECEIVED: RecordedEvent = {
  id: 'cevent9',
  subject: 'messaging.message.received.v1',
  aggregateId: 'cconversation2',
  sequence: 1,
  messageId: 'cmessage2',
  digest: 'digest received',
};
/** An inbound message in addition to the one message. */
export const withInbound: Partial<Ledgers> = {
  inbound: [{ upstreamMessageId: 'wamid.in', isCertain: true }],
  messages: [MESSAGE, INBOUND],
  outbox: [...EVENTS, RECEIVED].map((event) => ({ ...event, isPublished: true })),
  seen: [...EVENTS, RECEIVED],
};
/** A request that was refused as retryable. */
export const REFUSED: UpstreamRequest = { ...REQUEST, refusedWith: 130429, messageId: null };
