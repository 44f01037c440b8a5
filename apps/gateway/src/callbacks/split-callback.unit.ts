import { describe, expect, it } from '@jest/globals';
import {
  callbackChange,
  callbackMessage,
  callbackPreference,
  callbackStatus,
  type CallbackItem,
  type UpstreamMessageItem,
} from '@switchboard/contracts/gateway/events';
import fc from 'fast-check';
import { splitCallback } from './split-callback.policy.js';

describe('splitting a callback', () => {
  const now = new Date('2026-01-01T00:00:00.000Z');
  const split = (callback: Record<string, unknown>) => splitCallback(callback, 1_000, now);
  const inChange = (value: unknown) => ({ entry: [{ id: 'waba', changes: [{ field: 'messages', value }] }] });
  const metadata = { display_phone_number: '1', phone_number_id: '106' };

  it('makes one event per item, with the time and the aggregate of the item', () => {
    const status = { id: 'wamid.1', status: 'read', timestamp: '1751142888', biz_opaque_callback_data: 'c1' };
    const message = { from: '16505551234', id: 'wamid.2', timestamp: '1749416383', type: 'text', text: { body: 'a' } };
    const contacts = [
      { profile: { name: 'Other' }, wa_id: '1' },
      { profile: { name: 'Ada' }, wa_id: '16505551234' },
    ];
    const value = { messaging_product: 'whatsapp', metadata, contacts, statuses: [status], messages: [message] };
    const { events, oddItems } = split(inChange(value));
    expect(oddItems).toBe(0);
    expect(events).toEqual([
      {
        event: callbackStatus,
        organizationId: null,
        aggregateId: 'wamid.1',
        sequence: null,
        occurredAt: new Date(1_751_142_888_000),
        data: { phoneNumberId: '106', item: status },
      },
      {
        event: callbackMessage,
        organizationId: null,
        aggregateId: '106:16505551234',
        sequence: null,
        occurredAt: new Date(1_749_416_383_000),
        data: { phoneNumberId: '106', item: { message, profileName: 'Ada' } },
      },
    ]);
  });

  it('keeps errors of a value, other fields and items of another shape as changes, next to good items', () => {
    const good = { id: 'w', status: 'sent', timestamp: 'yesterday' };
    const { events, oddItems } = split({
      entry: [
        { id: 'a', changes: [{ field: 'messages', value: { metadata, errors: [{ code: 1 }], statuses: [7, good] } }] },
        { id: 'b', changes: [{ field: 'account_update', value: { event: 'X' } }, { field: 'odd' }, null] },
        'nonsense',
      ],
    });
    expect(events.map(({ event, aggregateId }) => [event, aggregateId])).toEqual([
      [callbackChange, 'a'],
      [callbackStatus, 'w'],
      [callbackChange, 'a'],
      [callbackChange, 'b'],
      [callbackChange, 'b'],
      [callbackChange, 'b'],
      [callbackChange, ''],
    ]);
    const odd = { businessAccountId: 'a', field: 'messages', value: { metadata, statuses: [7] }, isOdd: true };
    expect(events[0]?.data).toEqual(odd);
    expect(events[1]?.occurredAt).toEqual(now);
    expect(events[2]?.data).toMatchObject({ value: { metadata, errors: [{ code: 1 }] } });
    expect(oddItems).toBe(2);
  });

  it('dates a change by its entry, where that has a time that can be', () => {
    const changes = [{ field: 'message_template_status_update', value: { event: 'PAUSED' } }];
    const times = [1_751_142_888, '1751142888', undefined, 'yesterday', 4_102_444_800];
    const { events } = split({ entry: times.map((time) => ({ id: 'waba', time, changes })) });
    const dated = new Date(1_751_142_888_000);
    expect(events.map(({ occurredAt }) => occurredAt)).toEqual([dated, dated, now, now, now]);
  });

  it('never throws and never makes nothing of something, whatever the provider sends', () => {
    const part = fc.oneof(fc.jsonValue(), fc.constantFrom<unknown>([], {}, null, 'x'));
    const callback = fc.oneof(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.record({ entry: part }),
      fc
        .record({ statuses: part, messages: part, contacts: part, metadata: fc.constantFrom<unknown>(metadata, null) })
        .map(inChange),
    );
    fc.assert(
      fc.property(callback, (value) => {
        const { events } = split(value);
        expect(events.length).toBeGreaterThan(0);
        for (const event of events) {
          expect(event.aggregateId).not.toContain('\u0000');
          expect(Number.isNaN(event.occurredAt.getTime())).toBe(false);
        }
      }),
    );
  });

  it('summarises an item that no message of the broker could hold, and not its neighbours', () => {
    const large = { from: '1', id: 'w', timestamp: '1', type: 'text', text: { body: 'x'.repeat(1_000_000) } };
    const small = { ...large, id: 'v', text: { body: 'x' } };
    const callback = inChange({ metadata, messages: [large, small] });
    const { events, oddItems } = splitCallback(callback, JSON.stringify(callback).length, now);
    expect(events.map(({ event }) => event)).toEqual([callbackChange, callbackMessage]);
    expect(events[0]?.data).toMatchObject({ value: { summarised: true, subject: callbackMessage.subject } });
    expect(oddItems).toBe(1);
  });

  it('summarises an item that is deeper than anybody could write, and not its neighbours', () => {
    let deep: unknown = 'bottom';
    for (let level = 0; level < 20_000; level++) deep = [deep];
    const small = { from: '1', id: 'v', timestamp: '1', type: 'text', text: { body: 'x' } };
    const callbacks = [
      inChange({ metadata, messages: [{ ...small, id: 'w', image: deep }, small] }),
      inChange({ metadata, messages: [small], errors: deep }),
      {
        entry: [
          {
            id: deep,
            changes: [
              { field: 'x', value: deep },
              ...inChange({ metadata, messages: [small] }).entry.flatMap(({ changes }) => changes),
            ],
          },
        ],
      },
      { entry: deep },
      { deep },
    ];
    for (const callback of callbacks) {
      const { events, oddItems } = splitCallback(callback, 50_000, now);
      expect(() => JSON.stringify(events)).not.toThrow();
      expect(events.filter(({ data }) => JSON.stringify(data).includes('isTooDeep'))).toHaveLength(1);
      expect(oddItems).toBe(1);
      if (callback !== callbacks[3] && callback !== callbacks[4]) {
        expect(events.filter(({ event }) => event === callbackMessage)).toHaveLength(1);
      }
    }
  });

  it('hands on preferences with their person, on the line that they name or on the account alone', () => {
    const stop = {
      wa_id: '16505551234',
      detail: 'x',
      category: 'marketing_messages',
      value: 'stop',
      timestamp: 1731705721,
    };
    const resume = { user_id: 'US.13', value: 'resume', timestamp: '1731705722' };
    const value = {
      user_preferences: [stop, resume, { value: 'stop' }, 7],
      contacts: [{ profile: { name: 'Ada' }, wa_id: '16505551234' }],
    };
    const change = (more: object) => ({
      entry: [{ id: 'waba', changes: [{ field: 'user_preferences', value: { ...value, ...more } }] }],
    });
    const { events, oddItems } = split(change({ metadata }));
    expect(events.map(({ event }) => event)).toEqual([
      callbackPreference,
      callbackPreference,
      callbackChange,
      callbackChange,
    ]);
    expect(oddItems).toBe(2);
    expect(events[0]).toMatchObject({
      aggregateId: '106:16505551234',
      occurredAt: new Date(1_731_705_721_000),
      data: {
        businessAccountId: 'waba',
        phoneNumberId: '106',
        profileName: 'Ada',
        item: { wa_id: '16505551234', category: 'marketing_messages', value: 'stop', timestamp: '1731705721' },
      },
    });
    expect(events[1]?.data).toMatchObject({ profileName: null, item: { user_id: 'US.13', value: 'resume' } });
    expect(split(change({})).events[0]?.data).toMatchObject({ businessAccountId: 'waba', phoneNumberId: null });
  });

  it('knows a sender by the number, by the upstream’s own id, or as the only one that the callback speaks of', () => {
    const senderOf = (message: object, contacts: unknown): unknown => {
      const [event] = split(
        inChange({ metadata, contacts, messages: [{ id: 'w', timestamp: '1', type: 'text', ...message }] }),
      ).events;
      const item = (event?.data as CallbackItem<UpstreamMessageItem> | undefined)?.item;
      return [item?.message.from, item?.userId, item?.profileName];
    };
    const ada = { profile: { name: 'Ada' }, wa_id: '1650', user_id: 'US.13' };
    const bo = { profile: { name: 'Bo' }, user_id: 'US.14' };
    expect(senderOf({ from: '1650' }, [bo, ada])).toEqual(['1650', 'US.13', 'Ada']);
    expect(senderOf({ from: '+1650' }, [bo])).toEqual(['1650', undefined, null]);
    expect(senderOf({ from_user_id: 'US.14' }, [ada, bo])).toEqual(['', 'US.14', 'Bo']);
    expect(senderOf({}, [bo])).toEqual(['', 'US.14', 'Bo']);
    expect(senderOf({}, [ada, bo])).toEqual(['', undefined, null]);
    expect(senderOf({ from: 1650, from_user_id: 'two words' }, 'no number')).toEqual(['1650', undefined, null]);
  });

  it('takes what can be stored for an id, and no time of the future', () => {
    const eventOf = (message: object) =>
      split(inChange({ metadata, messages: [{ from: '1', id: 'w', ...message }] })).events[0];
    for (const id of [undefined, 7, '', 'a\u0000', 'a\ud800', 'x'.repeat(301)]) {
      expect([id, eventOf({ id })?.event]).toEqual([id, callbackChange]);
    }
    const message = eventOf({ timestamp: String(now.getTime() / 1_000 + 3_600) });
    expect(message).toMatchObject({
      event: callbackMessage,
      occurredAt: now,
      data: { item: { message: { type: 'unknown' } } },
    });
    expect(eventOf({ timestamp: 1_700_000_000 })?.occurredAt).toEqual(new Date(1_700_000_000_000));
    const odd = split(inChange({ metadata: { phone_number_id: 'a\u0000' }, messages: [{ from: '1', id: 'w' }] }));
    expect([odd.events[0]?.event, odd.oddItems]).toEqual([callbackChange, 1]);
  });

  it('hands on of a status what can be relied on', () => {
    const status = {
      id: 'w',
      status: 'failed',
      timestamp: 1,
      recipient_id: 1650,
      biz_opaque_callback_data: {},
      errors: [7, { code: '1' }, { code: 5, title: 6, message: 'm', href: 'h' }],
      pricing: { a: 1 },
    };
    expect(split(inChange({ metadata, statuses: [status] })).events[0]?.data).toEqual({
      phoneNumberId: '106',
      item: {
        id: 'w',
        status: 'failed',
        timestamp: '1',
        recipient_id: '1650',
        errors: [{ code: 5, message: 'm', href: 'h' }],
        pricing: { a: 1 },
      },
    });
  });

  it('keeps the number of a recipient only where a refusal needs it', () => {
    const status = { id: 'w', status: 'delivered', timestamp: '1', recipient_id: '16505551234' };
    const { recipient_id: _number, ...item } = status;
    expect(split(inChange({ metadata, statuses: [status] })).events[0]?.data).toEqual({ phoneNumberId: '106', item });
  });
});
