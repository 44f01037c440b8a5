import { Writable } from 'node:stream';
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '@switchboard/testing/eventually';
import { EventStream, type EventStreamSpec } from './event-stream.js';

/** An answer whose reader takes a chunk whenever `take` is called. */
class Answer extends Writable {
  readonly taken: string[] = [];
  private takeNext: (() => void) | undefined;

  constructor() {
    super({ highWaterMark: 64, decodeStrings: false });
  }

  override _write(chunk: string, _encoding: string, done: () => void): void {
    this.takeNext = () => {
      this.taken.push(chunk);
      done();
    };
  }

  take(): boolean {
    const take = this.takeNext;
    this.takeNext = undefined;
    take?.();
    return take !== undefined;
  }
}

const page = (from: number, count: number) => ({
  bodies: Array.from({ length: count }, (_, index) => `{"n":${from + index}}`.padEnd(20_000)),
  cursors: Array.from({ length: count }, (_, index) => `c${from + index}`),
  nextCursor: `c${from + count - 1}`,
});

function streamOf(answer: Answer, read: EventStreamSpec['read'], slowMs?: number): EventStream {
  const response = answer as unknown as ServerResponse;
  const spec = { organizationId: 'co', sessionId: 'cs', response, cursor: 'c0', read };
  const onError = (error: unknown): never => {
    throw error;
  };
  return new EventStream({ ...spec, onError }, slowMs);
}

describe('a stream of events', () => {
  it('reads no further while its reader takes nothing, and goes on where it was', async () => {
    const answer = new Answer();
    const asked: string[] = [];
    const stream = streamOf(answer, (cursor) => {
      asked.push(cursor);
      return Promise.resolve(asked.length <= 3 ? page(asked.length * 10, 3) : { ...page(40, 0), nextCursor: 'c32' });
    });
    stream.start();
    await eventually(() => asked.length === 1);
    await eventually(() => answer.writableNeedDrain);
    stream.wake();
    // One frame waits, and so do the two others of the page: nothing else is asked for.
    expect(answer.writableLength).toBeLessThan(25_000);
    await eventually(() => (answer.take(), asked.length === 4));
    await eventually(() => (answer.take(), answer.taken.length === 10));
    expect(asked).toEqual(['c0', 'c12', 'c22', 'c32']);
    const ids = answer.taken.flatMap((frame) => /^id: (c\d+)$/m.exec(frame)?.[1] ?? []);
    expect(ids).toEqual(['c0', 'c10', 'c11', 'c12', 'c20', 'c21', 'c22', 'c30', 'c31', 'c32']);
    expect(stream.end('session')).toBe('session');
  });

  it('is cut off when its reader takes nothing for too long', async () => {
    const answer = new Answer();
    const stream = streamOf(answer, () => Promise.resolve(page(10, 3)), 20);
    stream.start();
    await eventually(() => answer.destroyed);
    expect(stream.end('closed')).toBe('slow');
  });

  it('goes on after a read that failed, from where it was', async () => {
    const answer = new Answer();
    const asked: string[] = [];
    const failures: unknown[] = [];
    const response = answer as unknown as ServerResponse;
    const stream = new EventStream({
      organizationId: 'co',
      sessionId: 'cs',
      response,
      cursor: 'c0',
      read: (cursor) => {
        asked.push(cursor);
        return asked.length === 1
          ? Promise.reject(new Error('away'))
          : Promise.resolve(page(10, asked.length === 2 ? 1 : 0));
      },
      onError: (error) => failures.push(error),
    });
    stream.start();
    await eventually(() => (answer.take(), answer.taken.some((frame) => frame.includes('id: c10'))));
    expect([asked.slice(0, 2), failures.length]).toEqual([['c0', 'c0'], 1]);
    stream.end('stopping');
    await eventually(() => (answer.take(), answer.writableFinished));
  });
});
