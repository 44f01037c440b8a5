import { describe, expect, it, jest } from '@jest/globals';
import { headers, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { AckInbox } from './ack-inbox.js';

const DEADLINE_MS = 5_000;

/** A connection whose server is the test. */
function connectionOfTest() {
  const replies: string[] = [];
  const closed = Promise.withResolvers<void>();
  let hear: ((error: Error | null, answer: Msg) => void) | undefined;
  const connection = {
    publish: (_subject: string, _payload: string, options: { readonly reply: string }) => replies.push(options.reply),
    subscribe: (_subject: string, options: { readonly callback: typeof hear }) => (hear = options.callback),
    closed: () => closed.promise,
  } as unknown as NatsConnection;
  const answer = (reply: string | undefined, text: string, code = 0): void =>
    hear?.(null, { subject: reply, data: Buffer.from(text), headers: { code } } as unknown as Msg);
  const inbox = new AckInbox(connection, 'contacts', DEADLINE_MS);
  /** The answer as text, or why there is none. */
  const publish = (): Promise<string> =>
    inbox.publish('contacts.a.v1', '{}', headers()).then(
      ({ data }) => Buffer.from(data).toString(),
      (error: unknown) => String(error),
    );
  return { inbox, replies, answer, publish, close: closed.resolve };
}

describe('acknowledgements', () => {
  it('go to the publication that they are of, in whatever order they come, and twice to none', async () => {
    const { publish, replies, answer } = connectionOfTest();
    const both = Promise.all([publish(), publish()]);
    answer(replies[1], 'second');
    answer(replies[1], 'once more');
    answer('_INBOX_contacts.of-another', 'stray');
    answer(replies[0], 'first');
    expect(await both).toEqual(['first', 'second']);
    expect(new Set(replies).size).toBe(2);
  });

  it('are waited for so long and no longer, each from its own publication on', async () => {
    jest.useFakeTimers();
    try {
      const { publish, replies, answer } = connectionOfTest();
      const first = publish();
      await jest.advanceTimersByTimeAsync(DEADLINE_MS - 1_000);
      const second = publish();
      await jest.advanceTimersByTimeAsync(1_000);
      expect(await first).toBe('TimeoutError: timeout');
      answer(replies[0], 'too late');
      await jest.advanceTimersByTimeAsync(DEADLINE_MS - 1_001);
      answer(replies[1], 'in time');
      expect(await second).toBe('in time');
      expect(jest.getTimerCount()).toBe(0);
      const third = publish();
      await jest.advanceTimersByTimeAsync(DEADLINE_MS);
      expect(await third).toBe('TimeoutError: timeout');
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });

  it('say that no stream takes the subject', async () => {
    const { publish, replies, answer } = connectionOfTest();
    const refused = publish();
    answer(replies[0], '', 503);
    expect(await refused).toBe("NoResponders: no responders: 'contacts.a.v1'");
  });

  it('are not waited for on a connection that was given up, or has ended', async () => {
    const { inbox, publish, close } = connectionOfTest();
    const lost = publish();
    inbox.giveUp(new Error('lost'));
    expect(await lost).toBe('Error: lost');
    const ended = publish();
    close();
    expect(await ended).toBe('ClosedConnectionError: closed connection');
  });
});
