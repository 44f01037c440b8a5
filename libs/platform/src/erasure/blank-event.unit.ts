import { describe, expect, it } from '@jest/globals';
import {
  callbackChange,
  callbackMessage,
  callbackPreference,
  callbackStatus,
} from '@switchboard/contracts/gateway/events';
import { cuidFloor } from '@switchboard/contracts/grammar/cuid';
import type { EventDefinition, EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import { blankCallback as blank, blankContact, type ErasedPerson } from './blank-event.policy.js';
import { ForeignLines } from './foreign-lines.js';

const erasedAt = new Date('2026-03-01T00:00:00Z');
const person: ErasedPerson = {
  contactId: 'cperson01',
  erasedAt,
  upstreamNames: ['14155550123', 'US.13'],
  formerNames: [],
};

const none = { has: () => false };
const blankCallback = (envelope: EventEnvelope, of: ErasedPerson): EventEnvelope | null => blank(envelope, of, none);

function callback(event: EventDefinition, data: unknown, at = new Date(erasedAt.getTime() - 1)): EventEnvelope {
  return {
    id: `${cuidFloor(at)}0000000000000000`,
    subject: event.subject,
    organizationId: null,
    aggregateId: '106:14155550123',
    sequence: null,
    occurredAt: at.toISOString(),
    data,
  };
}

describe('an event about a contact that is erased', () => {
  const message = {
    id: 'cmessage1',
    contactId: 'cperson01',
    text: 'hello',
    template: { id: 'ctemplate', name: 'welcome', language: 'en' },
    clientReference: 'order 1',
    metadata: { note: 'x' },
    status: 'FAILED',
    error: { code: '131026', message: 'to +14155550123' },
  };

  it('keeps ids, times and states, in the same order, and nothing that is personal', () => {
    const left = blankContact(JSON.stringify({ id: 'cevent001', data: { message } }), 'cperson01');
    const expected = {
      ...message,
      text: null,
      clientReference: null,
      metadata: {},
      error: { code: '131026', message: '' },
    };
    expect(left).toBe(JSON.stringify({ id: 'cevent001', data: { message: expected } }));
    expect(blankContact(left, 'cperson01')).toBe(left);
  });

  it('keeps why a message failed that the erasure stopped', () => {
    const error = { code: 'ERASED', message: 'The contact was erased before the message was handed over' };
    const left = blankContact(JSON.stringify({ message: { ...message, error } }), 'cperson01');
    expect(JSON.parse(left)).toMatchObject({ message: { text: null, error } });
  });

  it('shows a conversation without number and name, an opt-out without number and reason', () => {
    const contact = { id: 'cperson01', name: 'Ada', phone: '+14155550123', messagingId: '14155550123' };
    const optOut = { id: 'coptout01', contactId: 'cperson01', phone: '+14155550123', reason: 'asked' };
    const left = JSON.parse(blankContact(JSON.stringify({ conversation: { contact }, optOut }), 'cperson01'));
    expect(left).toEqual({
      conversation: { contact: { id: 'cperson01', name: null, phone: '', messagingId: '' } },
      optOut: { ...optOut, phone: '', reason: null },
    });
  });

  it('is left as it is, letter by letter, when it is about another contact', () => {
    const json = JSON.stringify({ data: { message: { ...message, contactId: 'cother001' } } });
    expect(blankContact(json, 'cperson01')).toBe(json);
    const both = JSON.stringify([message, { ...message, contactId: 'cother001' }]);
    expect(JSON.parse(blankContact(both, 'cperson01'))[1]).toEqual({ ...message, contactId: 'cother001' });
  });
});

describe('a callback about a person who is erased', () => {
  it('keeps what a repetition needs, and neither number, words nor name', () => {
    const status = { id: 'wamid.1', status: 'failed', timestamp: '1', recipient_id: '14155550123' };
    const errors = [{ code: 131026, title: 'to 14155550123' }];
    const failed = blankCallback(
      callback(callbackStatus, { phoneNumberId: '106', item: { ...status, errors } }),
      person,
    );
    expect(JSON.stringify(failed?.data)).toBe(
      '{"phoneNumberId":"106","item":{"id":"wamid.1","status":"failed","timestamp":"1","errors":[{"code":131026}]}}',
    );
    const text = { id: 'wamid.2', from: '14155550123', timestamp: '1', type: 'text', text: { body: 'hello' } };
    const item = { message: text, profileName: 'Ada' };
    const said = blankCallback(callback(callbackMessage, { phoneNumberId: '106', item }), person);
    expect(said).toMatchObject({ aggregateId: '106:' });
    expect(JSON.stringify(said)).not.toMatch(/14155550123|hello|Ada/);
  });

  it('of another shape is theirs when it names them as a whole, and no longer number', () => {
    const change = (note: string) =>
      blankCallback(callback(callbackChange, { businessAccountId: '1', field: 'x', value: { note } }), person);
    expect(change('call +14155550123 now')?.data).toMatchObject({ value: { isErased: true } });
    expect(change('call 914155550123')).toBeNull();
  });

  describe('and had another number before', () => {
    const until = new Date(erasedAt.getTime() - 1_000);
    const moved = { ...person, formerNames: [{ name: '12015550101', until }] };
    const merged = { ...moved, upstreamNames: [] };
    const before = new Date(until.getTime() - 1);
    const line = { phoneNumberId: '106' };
    const said = (at: Date) => {
      const message = { id: 'w', from: '12015550101', timestamp: '1', type: 'text', text: { body: 'hello' } };
      return blankCallback(callback(callbackMessage, { ...line, item: { message, profileName: 'Ada' } }, at), moved);
    };
    const failed = (at: Date) => {
      const item = { id: 'w', status: 'failed', timestamp: '1', recipient_id: '12015550101', errors: [] };
      return blankCallback(callback(callbackStatus, { ...line, item }, at), moved);
    };
    const note = (from: string, to: string, at: Date, of: ErasedPerson) => {
      const system = { body: `User A changed from ${from} to ${to}`, wa_id: to, type: 'user_changed_number' };
      const message = { id: 'w', from, timestamp: '1', type: 'system', system };
      return blankCallback(callback(callbackMessage, { ...line, item: { message, profileName: null } }, at), of);
    };

    it('is theirs while they had it, and of whoever has it since then', () => {
      expect(JSON.stringify([said(before), failed(before)])).not.toMatch(/12015550101|hello|Ada/);
      expect([said(until), failed(until)]).toEqual([null, null]);
    });

    it('is theirs when it is the note of their change, also where it came again, or names their number alone', () => {
      const [own, other] = ['12015550101', '12015550199'];
      const late = new Date(until.getTime() + 500);
      const notes = [
        note(own, '14155550123', late, moved),
        note(own, other, late, merged),
        note(other, own, late, merged),
      ];
      for (const one of notes) expect(one?.data).toMatchObject({ item: { message: { from: '', type: 'system' } } });
      expect(JSON.stringify(notes)).not.toMatch(/1201555|1415555/);
      expect(note(other, '12015550198', late, moved)).toBeNull();
      expect(note(own, other, new Date(erasedAt.getTime() + 1), moved)).toBeNull();
    });
  });

  it('by a line of another organization is of a contact there, and left as it is', async () => {
    const item = { id: 'w', status: 'failed', timestamp: '1', recipient_id: '14155550123', errors: [] };
    const message = { id: 'w', from: '14155550123', timestamp: '1', type: 'text', text: { body: 'STOP' } };
    const preference = { value: 'stop', timestamp: '1', wa_id: '14155550123' };
    const callbacksOf = (phoneNumberId: string, businessAccountId: string): EventEnvelope[] => [
      callback(callbackStatus, { phoneNumberId, item }),
      callback(callbackMessage, { phoneNumberId, item: { message, profileName: null } }),
      callback(callbackPreference, { businessAccountId, phoneNumberId, item: preference, profileName: null }),
      callback(callbackPreference, { businessAccountId, phoneNumberId: null, item: preference, profileName: null }),
      callback(callbackChange, { businessAccountId, field: 'x', value: { note: '+14155550123' } }),
    ];
    const asked: unknown[] = [];
    const lines = new ForeignLines('corg', async (organizationId, found) => {
      asked.push({ organizationId, ...found });
      return { phoneNumberIds: ['107'], businessAccountIds: ['2'] };
    });
    const [own, others] = [callbacksOf('106', '1'), callbacksOf('107', '2')];
    await lines.learn([...own, ...others]);
    await lines.learn(others);
    // Each line once.
    expect(asked).toEqual([{ organizationId: 'corg', phoneNumberIds: ['106', '107'], businessAccountIds: ['1', '2'] }]);
    expect(others.map((one) => blank(one, person, lines))).toEqual(others.map(() => null));
    const left = own.map((one) => blank(one, person, lines)?.data);
    expect(left).not.toContain(undefined);
    expect(JSON.stringify(left)).not.toContain('14155550123');
  });

  it('is of a new contact when it came after the erasure', () => {
    const item = { message: { id: 'w', from: '14155550123', timestamp: '1', type: 'text' }, profileName: null };
    const later = new Date(erasedAt.getTime() + 1);
    expect(blankCallback(callback(callbackMessage, { phoneNumberId: '106', item }, later), person)).toBeNull();
  });
});
