import { describe, expect, it } from '@jest/globals';
import { answered, ledgers, message, REQUEST, rulesOf, seen } from '../../test/one-message.js';
import { audit } from './audit.js';

describe('the auditor, of statuses and of messages from before', () => {
  it('finds a status that was answered 200 and is nowhere, its event as little as the row', () => {
    const queued = { status: 'QUEUED', isSent: false, upstreamMessageId: null, dispatch: 'UNKNOWN' } as const;
    const nowhere = {
      sends: answered({ upstreamMessageId: null }),
      messages: message(queued),
      outbox: ledgers().outbox.slice(0, 1),
      seen: seen(1),
      sequences: new Map([['cconversation1', 1]]),
    };
    expect(rulesOf(nowhere)).toEqual(['status.lost']);
    expect(audit(ledgers(nowhere)).tally.lost).toBe(1);
    const sentOnly = {
      messages: message({ status: 'SENT' }),
      outbox: ledgers().outbox.slice(0, 2),
      seen: seen(1, 2),
      sequences: new Map([['cconversation1', 2]]),
    };
    expect(rulesOf(sentOnly)).toEqual(['status.lost']);
    expect(rulesOf({ ...sentOnly, taken: new Map([['wamid.1', new Set(['sent'])]]) })).toEqual([]);
  });

  it.each(['failed', 'read'])('finds «%s» answered 200 of a message that knows less', (status) => {
    const reported = status === 'read' ? ['sent', 'delivered', 'read'] : ['sent', 'failed'];
    const stored = status === 'read' ? 'DELIVERED' : 'SENT';
    const numbers = status === 'read' ? [1, 2, 3] : [1, 2];
    const tampered = {
      messages: message({ status: stored }),
      taken: new Map([['wamid.1', new Set(reported)]]),
      outbox: ledgers().outbox.slice(0, numbers.length),
      seen: seen(...numbers),
      sequences: new Map([['cconversation1', numbers.length]]),
    };
    expect(rulesOf(tampered)).toEqual(['status.lost']);
  });

  it('lets a failure stand that a later delivery disproved, in whatever order they were reported', () => {
    expect(rulesOf({ taken: new Map([['wamid.1', new Set(['delivered', 'failed', 'sent'])]]) })).toEqual([]);
  });

  it('finds that it is blind: a message went out and the upstream recorded no status of it', () => {
    expect(rulesOf({ taken: new Map() })).toEqual(['status.unrecorded']);
  });

  it('holds a message that was accepted before the mark and tried again after it to what came after', () => {
    const carried = {
      sends: [],
      messages: message({ isCarriedOver: true }),
      outbox: ledgers().outbox.slice(1),
      seen: seen(2, 3),
    };
    expect(rulesOf(carried)).toEqual([]);
    expect(rulesOf({ ...carried, requests: [REQUEST, REQUEST] })).toEqual(['upstream.doubled']);
    expect(rulesOf({ ...carried, messages: message({ isCarriedOver: true, status: 'SENT' }) })).toEqual([
      'status.lost',
    ]);
    expect(rulesOf({ ...carried, messages: message({ isCarriedOver: false }) })).toEqual(['event.disagrees']);
    expect(rulesOf({ ...carried, messages: [] })).toEqual(['upstream.without-message']);
  });
});
