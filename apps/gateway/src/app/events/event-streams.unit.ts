import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { Log, Platform } from '@switchboard/platform';
import { EventStreams } from './event-streams.js';
import type { FeedReads } from './feed-reads.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** An answer that is read as fast as it is written. */
class Answer extends EventEmitter {
  isEnded = false;

  write(): boolean {
    return true;
  }

  end(): void {
    this.isEnded = true;
  }
}

it('streams end when the database has said nothing of their sessions for 5 s, also while it still owes an answer', async () => {
  const asked: (readonly string[])[] = [];
  const stillOpen = (sessionIds: readonly string[]): Promise<ReadonlySet<string>> => {
    asked.push(sessionIds);
    return new Promise(() => undefined);
  };
  const platform = { nats: { subscribe: () => ({ unsubscribe: () => undefined }) }, link: { isAway: false } };
  const warned: string[] = [];
  const log = { warn: (event: string) => void warned.push(event) };
  const streams = new EventStreams(
    { sessions: { stillOpen } },
    {} as FeedReads,
    platform as unknown as Platform,
    new AbortController().signal,
    log as unknown as Log,
  );
  const answer = new Answer();
  const response = answer as unknown as ServerResponse;
  const read = (): Promise<never> => new Promise(() => undefined);
  streams.begin({ organizationId: 'corg', sessionId: 'csession', response, cursor: 'c0', read });
  streams.onApplicationBootstrap();
  await jest.advanceTimersByTimeAsync(4_900);
  expect([asked, answer.isEnded]).toEqual([[['csession']], false]);
  await jest.advanceTimersByTimeAsync(200);
  expect([warned, answer.isEnded]).toEqual([['event-stream.sessions-unknown'], true]);
  await streams.onModuleDestroy();
});
