import { expect, it } from '@jest/globals';
import type { ConsumerMessages, ConsumerNotification } from '@nats-io/jetstream';
import { closeWhenEnded } from './bounded-pull.js';

const debug = (code: number, description: string): ConsumerNotification => ({ type: 'debug', code, description });

/** @returns how many of the statuses were read when the pull was closed; null when it was not */
async function closedAfter(statuses: readonly ConsumerNotification[]): Promise<number | null> {
  let read = 0;
  let closed: number | null = null;
  const messages: Partial<ConsumerMessages> = {
    async *status() {
      for (const status of statuses) {
        read++;
        yield status;
      }
    },
    close: async () => void (closed = read),
  };
  await closeWhenEnded(messages as ConsumerMessages);
  return closed;
}

it.each([
  ['a newer broker has delivered all that waited', debug(404, 'no messages')],
  ['an older broker has', debug(408, 'request timeout')],
  ['another replica is served first', debug(408, 'requests pending')],
])('a pull that ends with what waits is closed when %s', async (_when, end) => {
  expect(await closedAfter([{ type: 'heartbeat', lastConsumerSequence: 1, lastStreamSequence: 1 }, end])).toBe(2);
});

it('a pull goes on after anything else that the broker says', async () => {
  const discard = { type: 'discard', messagesLeft: 3, bytesLeft: 0 } as const;
  expect(await closedAfter([discard, debug(100, 'idle heartbeat')])).toBeNull();
});
