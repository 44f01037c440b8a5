import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Relay } from '@switchboard/outbox';
import { createLog, systemClock } from '@switchboard/platform';
import type { Database } from '@switchboard/postgres';
import { TakeCallback } from './take-callback.js';

const SECRET = 'app secret';

describe('callbacks', () => {
  const stopping = new AbortController();
  const events: number[] = [];
  let takeText: (text: string) => Promise<void>;
  const take = (value: unknown): Promise<void> =>
    takeText(JSON.stringify({ entry: [{ id: 'waba', changes: [{ field: 'messages', value }] }] }));

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    events.length = 0;
    const transaction = async (work: (tx: unknown) => Promise<void>): Promise<void> =>
      work({ atCommit: (_insert: unknown, [ids]: readonly [readonly string[]]) => events.push(ids.length) });
    const relay = { wake: () => undefined, wakeLater: () => undefined } as unknown as Relay;
    const log = createLog('gateway', { write: () => undefined });
    const database = { transaction } as unknown as Database;
    const config = { CLOUD_APP_SECRET: SECRET };
    const callbacks = new TakeCallback(database, relay, systemClock, log, config, stopping.signal);
    takeText = (text) => {
      const body = Buffer.from(text);
      return callbacks.take(body, `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`);
    };
  });
  afterEach(() => void jest.useRealTimers());

  const metadata = { display_phone_number: '1', phone_number_id: '106' };
  const status = (id: number) => ({ metadata, statuses: [{ id: `wamid.${id}`, status: 'read', timestamp: '1' }] });
  const message = {
    metadata,
    messages: [{ from: '1', id: 'wamid.m', timestamp: '1', type: 'text', text: { body: '' } }],
  };

  it('that come closely share a commit when they hold statuses alone, and none of them waits after a quiet time', async () => {
    await take(status(0));
    expect(events).toEqual([1]);
    const taken = Promise.all([1, 2, 3, 4].map((id) => take(status(id))));
    await jest.advanceTimersByTimeAsync(24);
    expect(events).toEqual([1]);
    await jest.advanceTimersByTimeAsync(1);
    await taken;
    expect(events).toEqual([1, 4]);
    await jest.advanceTimersByTimeAsync(25);
    await take(status(5));
    expect(events).toEqual([1, 4, 1]);
  });

  it('that come closely are committed at once with what people say', async () => {
    await take(status(0));
    const waiting = take(status(1));
    await take(message);
    expect(events).toEqual([1, 1]);
    await jest.advanceTimersByTimeAsync(25);
    await waiting;
    expect(events).toEqual([1, 1, 1]);
  });

  it('that come closely do not wait when as many as the provider has under way do', async () => {
    await take(status(0));
    await Promise.all(Array.from({ length: 16 }, (_, id) => take(status(id))));
    expect(events).toEqual([1, 16]);
  });

  it.each(['', '{', '[]', '[{"entry":[]}]', '"entry"', '5', 'null', 'true'])(
    'are refused as malformed when they are %j, whoever signed it, and nothing of them is committed',
    async (text) => {
      await expect(takeText(text)).rejects.toMatchObject({ code: 'MALFORMED_BODY' });
      expect(events).toEqual([]);
    },
  );
});
