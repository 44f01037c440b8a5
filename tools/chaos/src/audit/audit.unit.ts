import { describe, expect, it } from '@jest/globals';
import {
  ANSWER,
  answered,
  EVENTS,
  INBOUND,
  ledgers,
  MESSAGE,
  message,
  RECEIVED,
  REFUSED,
  REQUEST,
  rulesOf,
  seen,
  SEND,
  withInbound,
} from '../../test/one-message.js';
import type { RecordedEvent, Send } from '../ledger/ledgers.js';
import { NumberBook } from '../ledger/number-book.js';
import { audit } from './audit.js';

describe('the auditor', () => {
  it('finds nothing where nothing is wrong, and counts', () => {
    expect(audit(ledgers())).toEqual({
      findings: [],
      tally: expect.objectContaining({ sends: 1, succeeded: 1, events: 3, lost: 0, doubled: 0, unknown: 0 }),
    });
    expect(audit(ledgers(withInbound)).findings).toEqual([]);
  });

  it('calls a 2xx without a message a false one', () => {
    const tampered = { messages: [], requests: [], outbox: [], seen: [], sequences: new Map() };
    expect(rulesOf(tampered)).toEqual(['answer.false-success']);
    expect(audit(ledgers(tampered)).tally.falseSuccesses).toBe(1);
  });

  it.each([
    ['another contact', { contactId: 'cother' }],
    ['another conversation', { conversationId: 'cother' }],
    ['another upstream id', { upstreamMessageId: 'wamid.other' }],
  ])('finds an answer that names %s than is stored', (_, changed) => {
    expect(rulesOf({ sends: answered(changed) })).toEqual(['answer.disagrees']);
  });

  it('lets a 503 stand that names the stored message, and finds one that hides it', () => {
    const refusal = { status: 503, code: 'SERVICE_UNAVAILABLE', id: null };
    expect(rulesOf({ sends: answered({ ...refusal, headerId: 'cmessage1' }) })).toEqual([]);
    expect(rulesOf({ sends: answered({ ...refusal, headerId: null }) })).toEqual(['answer.hides-send']);
    expect(rulesOf({ sends: answered({ ...refusal, headerId: 'cother' }) })).toEqual(['answer.hides-send']);
  });

  it('finds a refusal for good of a message that the upstream took, or that waits to be tried again', () => {
    const sends = answered({ status: 400, code: 'UPSTREAM_REJECTED', id: null, headerId: 'cmessage1' });
    expect(rulesOf({ sends })).toEqual(['answer.false-refusal']);
    const refused = {
      sends,
      requests: [{ ...REFUSED, refusedWith: 131026 }],
      outbox: ledgers().outbox.slice(0, 1),
      seen: seen(1),
      sequences: new Map(),
    };
    const open = { status: 'QUEUED', isSent: false, upstreamMessageId: null } as const;
    expect(rulesOf({ ...refused, messages: message({ ...open, dispatch: 'RETRY' }) })).toEqual([
      'answer.false-refusal',
    ]);
    expect(rulesOf({ ...refused, messages: message({ ...open, dispatch: 'UNKNOWN' }) })).toEqual([]);
    const failed = { ...EVENTS[1], subject: 'messaging.message.failed.v1' } as RecordedEvent;
    const emitted = [...seen(1), failed];
    const rightly = { messages: message({ ...open, status: 'FAILED' }), seen: emitted };
    const outbox = emitted.map((event) => ({ ...event, isPublished: true }));
    expect(rulesOf({ ...refused, ...rightly, outbox })).toEqual([]);
  });

  it('asks nothing of a send whose connection was reset: its caller knows nothing', () => {
    expect(rulesOf({ sends: [{ ...SEND, outcome: { kind: 'reset', error: 'ECONNRESET' } }] })).toEqual([]);
  });

  it.each([401, 404, 429, 500, 502])('finds an answer %i, which no fault excuses', (status) => {
    expect(rulesOf({ sends: answered({ status, code: 'SOME', headerId: 'cmessage1' }) })).toContain(
      'answer.unexpected',
    );
  });

  it('finds an answer that the description does not know, though all else is well', () => {
    expect(rulesOf({ sends: answered({ undescribed: ['the header x-new is not described'] }) })).toEqual([
      'answer.undescribed',
    ]);
  });

  it('finds a refusal without the envelope of errors', () => {
    const bare = { status: 503, code: null, id: null, headerId: 'cmessage1' };
    expect(rulesOf({ sends: answered(bare) })).toEqual(['answer.unexpected']);
  });

  it('finds one send that became two messages', () => {
    const other = { ...MESSAGE, id: 'cmessage3', status: 'QUEUED', isSent: false, dispatch: 'RETRY' } as const;
    expect(rulesOf({ messages: [MESSAGE, other] })).toContain('send.doubled');
  });

  it.each(['contactId', 'conversationId'] as const)('finds a number that has more than one %s', (field) => {
    const other: Send = { ...SEND, text: 'chaos 2', outcome: { ...ANSWER, id: 'cmessage2', [field]: 'cother' } };
    expect(rulesOf({ sends: [SEND, other] })).toContain('contact.doubled');
    expect(rulesOf({ sends: [SEND, SEND] })).toEqual([]);
    const book = new NumberBook();
    book.add([SEND]);
    book.add([SEND, { ...other, outcome: { ...ANSWER, [field]: 'cother' } }]);
    expect(rulesOf({ sends: [], numbers: book.numbers })).toEqual(['contact.doubled']);
    expect(rulesOf({ sends: [SEND, { ...other, organizationId: 'corganization2' }] })).not.toContain('contact.doubled');
  });

  it('finds a message that was asked for twice, unless the first was refused as retryable', () => {
    expect(rulesOf({ requests: [REQUEST, REQUEST] })).toEqual(['upstream.doubled']);
    expect(rulesOf({ requests: [{ ...REQUEST, outcome: 'cut', messageId: null }, REQUEST] })).toEqual([
      'upstream.doubled',
    ]);
    expect(rulesOf({ requests: [{ ...REFUSED, refusedWith: 131026 }, REQUEST] })).toEqual(['upstream.doubled']);
    expect(rulesOf({ requests: [REFUSED, REFUSED, REQUEST] })).toEqual([]);
    expect(audit(ledgers({ requests: [REQUEST, REQUEST, REQUEST] })).tally.doubled).toBe(1);
  });

  it('finds a request for a message that is not stored', () => {
    expect(rulesOf({ requests: [REQUEST, { ...REQUEST, reference: 'cother' }] })).toEqual(['upstream.without-message']);
  });

  it('calls a message lost that waits for nothing, or says SENT and was never accepted', () => {
    const queued = message({ status: 'QUEUED', isSent: false, upstreamMessageId: null });
    const events = { outbox: ledgers().outbox.slice(0, 1), seen: seen(1), sequences: new Map() };
    const sends = answered({ upstreamMessageId: null });
    expect(rulesOf({ ...events, sends, messages: queued, requests: [] })).toEqual(['message.lost']);
    expect(rulesOf({ requests: [] })).toEqual(['message.lost']);
    expect(rulesOf({ requests: [{ ...REQUEST, messageId: null }] })).toEqual(['message.lost']);
  });

  it('finds a message that the upstream confirmed and that does not know it; unconfirmed it is unknown', () => {
    const emitted = { ...RECEIVED, subject: 'gateway.callback.status.v1', sequence: null, messageId: 'cmessage1' };
    const open = {
      sends: answered({ upstreamMessageId: null }),
      messages: message({ status: 'QUEUED', isSent: false, upstreamMessageId: null, dispatch: 'UNKNOWN' }),
      sequences: new Map(),
      taken: new Map(),
    };
    const [accepted] = ledgers().outbox;
    const outbox = accepted === undefined ? [] : [accepted];
    const quiet = audit(ledgers({ ...open, outbox, seen: seen(1) }));
    expect([quiet.findings, quiet.tally.unknown]).toEqual([[], 1]);
    const confirmed = { outbox: [...outbox, { ...emitted, isPublished: true }], seen: [...seen(1), emitted] };
    expect(rulesOf({ ...open, ...confirmed })).toEqual(['message.unsettled']);
  });

  it('finds an upstream id that is not the upstream’s, and an attempt open of what is settled', () => {
    const other = { messages: message({ upstreamMessageId: 'wamid.other' }) };
    expect(rulesOf({ ...other, sends: answered({ upstreamMessageId: null }) })).toEqual(['message.disagrees']);
    expect(rulesOf({ messages: message({ dispatch: 'RETRY' }) })).toEqual(['dispatch.leftover']);
  });

  it('finds an inbound message that was lost, unless the provider may have died with it, or stored twice', () => {
    expect(rulesOf({ inbound: [{ upstreamMessageId: 'wamid.in', isCertain: true }] })).toEqual(['inbound.lost']);
    expect(rulesOf({ inbound: [{ upstreamMessageId: 'wamid.in', isCertain: false }] })).toEqual([]);
    const twice = { ...withInbound, messages: [MESSAGE, INBOUND, { ...INBOUND, id: 'cmessage3' }] };
    expect(rulesOf(twice)).toContain('inbound.doubled');
  });

  it('finds an event that was never seen, never committed, or that changed on its way', () => {
    expect(rulesOf({ seen: seen(1, 2) })).toEqual(['event.disagrees', 'event.missing', 'event.sequence']);
    expect(audit(ledgers({ seen: seen(1, 2) })).tally.lost).toBe(1);
    const stranger = { ...RECEIVED, messageId: null, sequence: null };
    expect(rulesOf({ seen: [...EVENTS, stranger] })).toEqual(['event.unknown']);
    const changed = EVENTS.map((event) => ({ ...event, digest: 'another' }));
    expect(rulesOf({ seen: changed })).toEqual(['event.changed']);
  });

  it('finds two events that say the same of one message', () => {
    const again = { ...EVENTS[2], id: 'cevent4', sequence: 4 } as RecordedEvent;
    const tampered = {
      outbox: [...EVENTS, again].map((event) => ({ ...event, isPublished: true })),
      seen: [...EVENTS, again],
      sequences: new Map([['cconversation1', 4]]),
    };
    expect(rulesOf(tampered)).toEqual(['event.doubled']);
  });

  it('finds numbers of a conversation that were swapped, left out, or given out and never emitted', () => {
    expect(rulesOf({ seen: seen(1, 3, 2) })).toEqual(['event.sequence']);
    const gap = EVENTS.map((event, index) => ({ ...event, sequence: index === 2 ? 4 : index + 1 }));
    expect(rulesOf({ seen: gap, sequences: new Map([['cconversation1', 4]]) })).toEqual(['event.sequence']);
    expect(rulesOf({ sequences: new Map([['cconversation1', 4]]) })).toEqual(['event.sequence']);
  });

  it('lets a contact go on above the moment at which PostgreSQL was started, and finds any other gap', () => {
    const startMs = Date.UTC(2026, 0);
    const rulesFor = (service: string, ...sequences: readonly number[]): string[] => {
      const changed = sequences.map((sequence, at): RecordedEvent => {
        const emitted = { aggregateId: 'ccontact1', messageId: null, sequence, digest: 'changed' };
        return { ...emitted, id: `cevent${at + 10}`, subject: `${service}.contact.changed.v1` };
      });
      const outbox = [...EVENTS, ...changed].map((event) => ({ ...event, isPublished: true }));
      const given = new Map([...ledgers().sequences, ['ccontact1', sequences.at(-1) ?? 0] as const]);
      return rulesOf({ seen: [...EVENTS, ...changed], outbox, sequences: given });
    };
    expect(rulesFor('contacts', 1, startMs + 1, startMs + 2)).toEqual([]);
    expect(rulesFor('contacts', startMs + 1, startMs + 3)).toEqual(['event.sequence']);
    expect(rulesFor('contacts', 1, 3_000)).toEqual(['event.sequence']);
    expect(rulesFor('messaging', 1, startMs + 1)).toEqual(['event.sequence']);
  });

  it.each([
    ['contacts', ['event.order']],
    // Written without a lock of what they speak of: their positions are no order of commits.
    ['gateway', []],
  ])('finds events of %s that do not count and came in another order than they were committed', (service, found) => {
    const [created, deleted] = ['created', 'deleted'].map((name, at): RecordedEvent => {
      const emitted = { aggregateId: 'ccontact1', messageId: null, sequence: null, digest: name };
      return { ...emitted, id: `cevent${at + 10}`, subject: `${service}.opt-out.${name}.v1` };
    }) as [RecordedEvent, RecordedEvent];
    const outbox = [...EVENTS, created, deleted].map((event) => ({ ...event, isPublished: true }));
    expect(rulesOf({ outbox, seen: [...EVENTS, created, deleted] })).toEqual([]);
    expect(rulesOf({ outbox, seen: [...EVENTS, deleted, created] })).toEqual(found);
    expect(rulesOf({ outbox, seen: [deleted, ...EVENTS] })).toEqual(['event.missing']);
  });

  it('finds events that do not add up to the state of their message', () => {
    expect(rulesOf({ messages: message({ status: 'READ' }) })).toEqual(['event.disagrees']);
    const taken = new Map([['wamid.1', new Set(['sent'])]]);
    expect(rulesOf({ messages: message({ status: 'SENT' }), taken })).toEqual(['event.disagrees']);
  });

  it('finds what a consumer has not applied or has given up', () => {
    expect(rulesOf({ unapplied: ['messaging-callbacks cevent7'] })).toEqual(['event.unapplied']);
    expect(rulesOf({ deadLetters: ['messaging-callbacks cevent7: no'] })).toEqual(['event.dead']);
  });

  it('names attempts in doubt, and does not call them unknown', () => {
    const doubtful = message({ status: 'QUEUED', isSent: false, upstreamMessageId: null, dispatch: 'DISPATCHING' });
    const { findings, tally } = audit(
      ledgers({
        sends: answered({ upstreamMessageId: null }),
        messages: doubtful,
        requests: [],
        outbox: ledgers().outbox.slice(0, 1),
        seen: seen(1),
        sequences: new Map(),
      }),
    );
    expect([findings, tally.inDoubt, tally.unknown]).toEqual([[], 1, 0]);
  });
});
