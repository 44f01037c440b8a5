import { describe, expect, it } from '@jest/globals';
import { callbackStatus } from '@switchboard/contracts/gateway/events';
import { splitCallback } from './split-callback.policy.js';

describe('a callback of many items', () => {
  const now = new Date('2026-01-01T00:00:00.000Z');
  const inChange = (value: unknown) => ({ entry: [{ id: 'waba', changes: [{ field: 'messages', value }] }] });
  const metadata = { display_phone_number: '1', phone_number_id: '106' };
  const itemsOf = (count: number, build: (index: number) => unknown): unknown[] => [...Array(count).keys()].map(build);
  const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
  const message = (index: number): object => ({
    from: '16505551234',
    id: `wamid.${index}`,
    timestamp: '1',
    type: 'text',
    text: { body: 'a' },
  });

  it('takes every item of the largest callback of the provider, however short they are', () => {
    const status = (index: number): object => ({
      id: `wamid.HBgLMTY0NjcwNDM1OTUVAgASGBQzQTRBNjU5OUFFRTAzODEwMT${10_000 + index}`,
      status: 'read',
      timestamp: '1751142888',
      recipient_id: '16505551234',
    });
    const statuses = itemsOf(Math.floor((3 * 1_024 * 1_024) / (bytesOf(status(0)) + 1)), status);
    const callback = inChange({ metadata, statuses });
    const { events, oddItems } = splitCallback(callback, bytesOf(callback), now);
    expect([events.length, oddItems]).toEqual([statuses.length, 0]);
  });

  it('makes no more of a callback than it brings, whatever belongs to many of its items', () => {
    const large = 'x'.repeat(850_000);
    const line = { phone_number_id: '106', display_phone_number: '1', more: large };
    const contacts = [{ wa_id: '16505551234', profile: { name: `Ada ${'y'.repeat(300_000)}` } }];
    const hostile: [Record<string, unknown>, number][] = [
      [inChange({ metadata: line, statuses: itemsOf(500, () => ({ odd: true })) }), 21],
      [inChange({ metadata: line, statuses: itemsOf(500, (index) => ({ id: `w${index}`, status: 'sent' })) }), 500],
      [inChange({ metadata, contacts, messages: itemsOf(150, message) }), 150],
      [{ entry: itemsOf(20_000, () => ({})) }, 21],
      [{ entry: itemsOf(300, () => ({ id: large.slice(0, 10_000), changes: [{ field: 'x', value: 1 }] })) }, 300],
      [
        inChange({
          metadata,
          contacts: itemsOf(20_000, (index) => ({ wa_id: `${index}` })),
          messages: itemsOf(26_000, message),
        }),
        25_001,
      ],
    ];
    for (const [callback, count] of hostile) {
      const bytes = bytesOf(callback);
      const { events } = splitCallback(callback, bytes, now);
      expect(events).toHaveLength(count);
      expect(bytesOf(events)).toBeLessThan(Math.max(bytes, 1_000 * count) + 200_000);
    }
  });

  it('keeps what is past its bounds as one dead letter, which says how much it was and how it began', () => {
    const { events, oddItems } = splitCallback({ entry: itemsOf(20_000, (index) => ({ index })) }, 300_000, now);
    expect(oddItems).toBe(20_000);
    const last = events.at(-1)?.data as { isOdd: boolean; value: { items: number; first: unknown[] } };
    expect(last).toMatchObject({ isOdd: true, field: 'callback', value: { summarised: true, items: 19_980 } });
    expect(last.value.first[0]).toEqual({ index: 20 });
    expect(bytesOf(last)).toBeLessThan(150_000);
    // Good items behind odd ones are still taken.
    const mixed = inChange({ metadata, statuses: [...itemsOf(500, () => 7), { id: 'w', status: 'sent' }] });
    expect(splitCallback(mixed, 1_000, now).events.filter(({ event }) => event === callbackStatus)).toHaveLength(1);
  });
});
