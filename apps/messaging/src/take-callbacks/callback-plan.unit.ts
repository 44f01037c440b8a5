import { describe, expect, it } from '@jest/globals';
import {
  callbackChange,
  callbackMessage,
  callbackPreference,
  callbackStatus,
} from '@switchboard/contracts/gateway/events';
import type { EventDefinition, EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import fc from 'fast-check';
import type { Channel } from '../channel/channel.entity.js';
import { laneConsequenceOf } from '../dispatch/lane-consequences.policy.js';
import { isProgress, planOf, type CallbackPlan, type KnownLines } from './callback-plan.policy.js';
import { contentOf } from './inbound-content.policy.js';

const AT = '2026-01-02T03:04:05.000Z';
const channel: Channel = {
  organizationId: 'corg',
  id: 'cchannel1',
  name: 'support',
  phone: '+12015550181',
  provider: 'cloud',
  businessAccountId: 'waba',
  defaultRegion: 'US',
  phoneNumberId: '106',
  isDefault: true,
  status: 'CONNECTED',
  optOutKeywords: ['baja', '¡Alto!'],
};
const second: Channel = { ...channel, id: 'cchannel2', phoneNumberId: '107' };
const lines: KnownLines = {
  byPhoneNumberId: new Map([channel, second].map((one) => [one.phoneNumberId, one])),
  byBusinessAccountId: new Map([['waba', [channel, second]]]),
};

function planFor<Data>(event: EventDefinition<Data>, data: unknown): CallbackPlan {
  const envelope = { id: 'c0000001', subject: event.subject, organizationId: null, aggregateId: 'a', sequence: null };
  return planOf({ ...envelope, occurredAt: AT, data } satisfies EventEnvelope, lines);
}

const message = (fields: object, more: object = {}): CallbackPlan =>
  planFor(callbackMessage, {
    phoneNumberId: '106',
    item: {
      message: { id: 'wamid.1', from: '16505551234', timestamp: '1', type: 'text', ...fields },
      profileName: 'Ada',
      ...more,
    },
  });
const preferenceIn = (plan: CallbackPlan): unknown => ('people' in plan ? plan.people[0]?.sighting.preference : null);

describe('what is made of a message', () => {
  const content = (fields: object): unknown =>
    contentOf({ id: 'w', from: '1', timestamp: '1', type: 'text', ...fields });
  const unsupported = (type: string, text: string | null = null) => ({
    type: 'UNSUPPORTED',
    unsupportedType: type,
    text,
  });
  const text = (value: string) => ({ type: 'TEXT', unsupportedType: null, text: value });

  it.each<[object, unknown]>([
    [{ text: { body: 'Hi' } }, text('Hi')],
    [{ text: { body: 'a\u0000b\ud800c' } }, text('a\ufffdb\ufffdc')],
    [{ text: 'Hi' }, unsupported('text')],
    [{ type: 'button', button: { payload: 'YES', text: 'Yes, please' } }, text('Yes, please')],
    [{ type: 'button', button: { payload: 'YES' } }, text('YES')],
    [
      { type: 'interactive', interactive: { type: 'button_reply', button_reply: { id: '1', title: 'One' } } },
      text('One'),
    ],
    [{ type: 'interactive', interactive: { type: 'list_reply', list_reply: { id: '2', title: 'Two' } } }, text('Two')],
    [{ type: 'interactive', interactive: { type: 'nfm_reply', nfm_reply: {} } }, unsupported('interactive')],
    [{ type: 'image', image: { id: '1', caption: 'Our cat\u0000' } }, unsupported('image', 'Our cat\ufffd')],
    [{ type: 'document', document: { caption: '', filename: 'a.pdf' } }, unsupported('document')],
    [{ type: 'reaction', reaction: { emoji: '👍' } }, unsupported('reaction')],
    [{ type: 'location', location: { latitude: 1 } }, unsupported('location')],
    [{ type: 'contacts', contacts: [] }, unsupported('contacts')],
    [{ type: 'unsupported', errors: [{ code: 131051 }] }, unsupported('unsupported')],
    [{ type: '__proto__' }, unsupported('__proto__')],
    [{ type: 'x'.repeat(100) }, unsupported('x'.repeat(64))],
  ])('%j is %j', (fields, expected) => {
    expect(content(fields)).toEqual(expected);
  });

  it('a keyword counts as text, and as the title or the payload of a button; not as a caption', () => {
    const stop = { channelId: 'cchannel1', value: 'stop', source: 'KEYWORD' };
    for (const fields of [
      { text: { body: 'Stop!' } },
      { text: { body: 'baja' } },
      { type: 'button', button: { payload: 'STOP', text: 'No more' } },
      { type: 'button', button: { payload: 'x', text: 'Stop' } },
      { type: 'interactive', interactive: { button_reply: { id: 'stop', title: 'No more of these' } } },
      { type: 'interactive', interactive: { list_reply: { id: '1', title: 'Unsubscribe' } } },
    ]) {
      expect(message(fields)).toMatchObject({
        act: 'store',
        people: [
          {
            sighting: {
              phone: '+16505551234',
              preference: stop,
              statement: { id: 'wamid.1', at: AT, order: 'c0000001' },
            },
          },
        ],
      });
    }
    expect(preferenceIn(message({ text: { body: 'start' } }))).toEqual({ ...stop, value: 'start' });
    for (const fields of [
      { text: { body: 'STOP this terrible bill' } },
      { type: 'image', image: { caption: 'STOP' } },
      { type: 'image', text: { body: 'STOP' } },
    ]) {
      expect(preferenceIn(message(fields))).toBeUndefined();
    }
  });
});

describe('who is seen in a callback', () => {
  const person = (plan: CallbackPlan): unknown => ('people' in plan ? plan.people[0]?.sighting : plan);

  it('is a number, the upstream’s own id of a person, or both', () => {
    const number = { phone: '+16505551234', profileName: 'Ada', messagingId: '16505551234' };
    expect(person(message({}))).toEqual(number);
    expect(person(message({}, { userId: 'US.13' }))).toEqual({ ...number, upstreamUserId: 'US.13', seenAt: AT });
    const nameless = { phone: null, profileName: 'Ada', messagingId: null, upstreamUserId: 'US.13' };
    expect(person(message({ from: '' }, { userId: 'US.13' }))).toEqual(nameless);
    expect(person(message({ from: 'US.13' }))).toEqual(nameless);
    expect(message({ from: '' })).toMatchObject({ act: 'dead-letter' });
  });

  it('is a person whose number changed, and makes no message', () => {
    for (const system of [
      { type: 'user_changed_number', wa_id: '16505559999' },
      { type: 'customer_changed_number', new_wa_id: '16505559999' },
    ]) {
      expect(message({ type: 'system', system })).toEqual({
        act: 'inform-contacts',
        people: [
          {
            organizationId: 'corg',
            sighting: {
              phone: '+16505559999',
              profileName: null,
              messagingId: '16505559999',
              formerPhone: '+16505551234',
              isNote: true,
              statement: { id: 'wamid.1', at: AT },
            },
          },
        ],
      });
    }
    expect(message({ type: 'system', system: { type: 'user_changed_number' } })).toMatchObject({ act: 'dead-letter' });
    expect(message({ type: 'system', system: { type: 'customer_identity_changed' } })).toMatchObject({ act: 'ignore' });
  });

  it('is a person who set a preference, on the line that it names or on all of the account', () => {
    const item = { wa_id: '16505551234', value: 'stop', category: 'marketing_messages', timestamp: '1' };
    const about = { businessAccountId: 'waba', phoneNumberId: '107', item, profileName: null };
    const plan = planFor(callbackPreference, about);
    expect(person(plan)).toMatchObject({
      isNote: true,
      phone: '+16505551234',
      preference: { channelId: 'cchannel2', value: 'stop', source: 'UPSTREAM' },
    });
    expect(person(planFor(callbackPreference, about))).toEqual(person(plan));
    const all = planFor(callbackPreference, { ...about, phoneNumberId: null, item: { ...item, value: 'resume' } });
    expect('people' in all && all.people.map(({ sighting }) => sighting.preference)).toEqual([
      { channelId: 'cchannel1', value: 'start', source: 'UPSTREAM' },
      { channelId: 'cchannel2', value: 'start', source: 'UPSTREAM' },
    ]);
    const odd = planFor(callbackPreference, { ...about, item: { ...item, value: 'pause' } });
    expect(odd).toEqual({ act: 'ignore', reason: 'unknown-preference' });
  });

  it('is made one statement of a preference, however often it comes, whose id contacts accepts whatever it contains', () => {
    const any = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', 'a\u0000b', '\ud800', 'x'.repeat(5_000)));
    const statementOf = (timestamp: string, wa_id?: string): { id: string; at: string } | undefined => {
      const item = { user_id: 'U'.repeat(128), value: 'stop', timestamp, ...(wa_id === undefined ? {} : { wa_id }) };
      const data = { businessAccountId: 'waba', phoneNumberId: '107', item, profileName: null };
      const plan = planFor(callbackPreference, data);
      return 'people' in plan ? (plan.people[0]?.sighting.statement ?? undefined) : undefined;
    };
    fc.assert(
      fc.property(any, fc.option(any, { nil: undefined }), (timestamp, waId) => {
        const { id = '', at } = statementOf(timestamp, waId) ?? {};
        expect([id.length <= 300, id.includes('\u0000'), id.isWellFormed(), at]).toEqual([true, false, true, AT]);
        expect(statementOf(timestamp, waId)?.id).toBe(id);
      }),
    );
    expect(statementOf('1731705721')?.id).not.toBe(statementOf('1731705722')?.id);
  });

  it('is the recipient who stopped marketing messages', () => {
    const item = { id: 'wamid.9', status: 'failed', timestamp: '1', recipient_id: '16505551234' };
    const stopped = planFor(callbackStatus, { phoneNumberId: '106', item: { ...item, errors: [{ code: 131050 }] } });
    expect(person(stopped)).toMatchObject({
      isNote: true,
      phone: '+16505551234',
      preference: { channelId: 'cchannel1', value: 'stop', source: 'UPSTREAM' },
      statement: { id: 'wamid.9', at: AT, order: 'c0000001' },
    });
    const other = planFor(callbackStatus, { phoneNumberId: '106', item: { ...item, errors: [{ code: 131026 }] } });
    expect(other).toMatchObject({ act: 'report', people: [] });
  });

  it('holds bulk sends as the answer to the send would, those of the line before those of the job', () => {
    const holdIn = (status: string, ...codes: number[]): unknown => {
      const item = { id: 'wamid.9', status, timestamp: '1', errors: codes.map((code) => ({ code })) };
      const plan = planFor(callbackStatus, { phoneNumberId: '106', item });
      return plan.act === 'report' && plan.refusal && laneConsequenceOf(plan.refusal).hold;
    };
    expect(holdIn('failed', 131026, 132015, 131042)).toEqual({ whose: 'channel', reason: 'CHANNEL_BLOCKED' });
    expect(holdIn('failed', 131064)).toEqual({ whose: 'channel', reason: 'SPAM_LIMIT' });
    for (const code of [132001, 132015, 132016]) {
      expect(holdIn('failed', 131026, code)).toEqual({ whose: 'job', reason: 'TEMPLATE_NOT_APPROVED' });
    }
    // A pace is slowed by answers.
    for (const code of [131026, 132000, 132012, 130429, 190, 1, 0.5]) expect(holdIn('failed', code)).toBeNull();
    expect(holdIn('delivered', 131042)).toBeNull();
    expect(holdIn('failed')).toBeNull();
  });
});

describe('a plan', () => {
  it('takes the statuses that are known and counts the others', () => {
    const actOf = (status: string): string =>
      planFor(callbackStatus, { phoneNumberId: '106', item: { id: 'w', status, timestamp: '1' } }).act;
    expect(['sent', 'delivered', 'read', 'played', 'failed'].map(actOf)).toEqual(Array(5).fill('report'));
    expect(actOf('deleted')).toBe('ignore');
    const elsewhere = { phoneNumberId: '1', item: { id: 'w', status: 'sent', timestamp: '1' } };
    expect(planFor(callbackStatus, elsewhere)).toEqual({ act: 'ignore', reason: 'unknown-line' });
  });

  it('keeps what is odd, counts errors of the upstream, and leaves other fields alone', () => {
    const change = { businessAccountId: 'waba', field: 'messages', value: { errors: [{ code: 1 }] } };
    expect(planFor(callbackChange, change)).toEqual({ act: 'ignore', reason: 'upstream-error' });
    expect(planFor(callbackChange, { ...change, isOdd: true })).toMatchObject({ act: 'dead-letter' });
    expect(planFor(callbackChange, { ...change, field: 'account_update', value: null })).toMatchObject({
      reason: 'other-field',
    });
  });

  it('is made of anything that the gateway publishes, whatever it contains', () => {
    const any = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.string({ unit: 'binary' }));
    const type = fc.constantFrom('text', 'button', 'interactive', 'image', 'system', 'contacts', '__proto__');
    const item = fc.record({
      message: fc
        .tuple(type, any, fc.dictionary(fc.constantFrom('text', 'button', 'interactive', 'system'), any))
        .map(([kind, value, parts]) => ({ id: 'w', from: '1', timestamp: '', type: kind, [kind]: value, ...parts })),
      profileName: fc.oneof(fc.constant(null), fc.string({ unit: 'binary' })),
    });
    fc.assert(
      fc.property(item, (one) => {
        const plan = planFor(callbackMessage, { phoneNumberId: '106', item: one });
        if (plan.act !== 'store') return;
        const stored = contentOf(plan.callback.item.message);
        for (const value of [stored.text, stored.unsupportedType]) {
          if (value !== null) expect([value.isWellFormed(), value.includes('\u0000')]).toEqual([true, false]);
        }
      }),
    );
  });
});

describe('a callback that has time', () => {
  it.each([
    [callbackStatus, { item: { status: 'sent' } }, true],
    [callbackStatus, { item: { status: 'read' } }, true],
    [callbackStatus, { item: { status: 'failed' } }, false],
    [callbackStatus, {}, false],
    [callbackStatus, null, false],
    [callbackMessage, { item: { status: 'read' } }, false],
    [callbackPreference, {}, false],
    [callbackChange, {}, false],
  ])('is a status other than a refusal (%#)', (event, data, has) => {
    const envelope = { id: 'c0000001', subject: event.subject, organizationId: null, aggregateId: 'a', sequence: null };
    expect(isProgress({ ...envelope, occurredAt: AT, data })).toBe(has);
  });
});
