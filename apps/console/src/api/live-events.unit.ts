import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { isLive, listen, watchLive } from './live-events.js';

/** A stream of which the test says what comes. */
class FakeSource {
  static readonly CLOSED = 2;
  static readonly all: FakeSource[] = [];
  readyState = 1;
  private readonly listeners = new Map<string, (event: object) => void>();
  constructor(readonly url: string) {
    FakeSource.all.push(this);
  }
  addEventListener(name: string, listener: (event: object) => void): void {
    this.listeners.set(name, listener);
  }
  close(): void {
    this.readyState = FakeSource.CLOSED;
  }
  ready(lastEventId: string): void {
    this.listeners.get('ready')?.({ lastEventId });
  }
  /** @param isFinal the browser does not try it again */
  fail(isFinal: boolean): void {
    if (isFinal) this.readyState = FakeSource.CLOSED;
    this.listeners.get('error')?.({});
  }
}

const RETRY_MS = 5_000;

describe('the stream of events', () => {
  const { EventSource: presentSource, document: presentDocument } = globalThis;
  const onStart = jest.fn();
  let end: () => void;

  const newest = (): FakeSource => {
    const last = FakeSource.all.at(-1);
    if (!last) throw new Error('no stream was opened');
    return last;
  };
  const refuse = (): void => {
    newest().fail(true);
    jest.advanceTimersByTime(RETRY_MS);
  };

  beforeEach(() => {
    jest.useFakeTimers();
    jest.spyOn(globalThis, 'fetch').mockReturnValue(new Promise(() => undefined));
    globalThis.EventSource = FakeSource as unknown as typeof EventSource;
    globalThis.document = {
      visibilityState: 'visible',
      addEventListener: () => undefined,
      removeEventListener: () => undefined,
    } as unknown as Document;
    FakeSource.all.length = 0;
    onStart.mockClear();
    end = listen({ onStart, onEvent: () => undefined });
  });

  afterEach(() => {
    newest().ready('c0');
    end();
    jest.useRealTimers();
    jest.restoreAllMocks();
    globalThis.EventSource = presentSource;
    globalThis.document = presentDocument;
  });

  it('starts once: a reconnect of the browser goes on where it was', () => {
    newest().ready('c1');
    newest().fail(false);
    newest().ready('c2');
    expect(onStart).toHaveBeenCalledTimes(1);
  });

  it('goes on where it was after one refusal, and starts anew after two', () => {
    newest().ready('c1');
    refuse();
    expect(newest().url).toBe('/app/api/events?cursor=c1');
    refuse();
    expect(newest().url).toBe('/app/api/events');
    newest().ready('c2');
    expect(onStart).toHaveBeenCalledTimes(2);
    refuse();
    expect(newest().url).toBe('/app/api/events?cursor=c2');
  });

  it('is not live after three failures in sequence, until it is there again', () => {
    const seen: boolean[] = [];
    const stop = watchLive(() => seen.push(isLive()));
    for (const isFinal of [true, false]) newest().fail(isFinal);
    expect([isLive(), seen]).toEqual([true, []]);
    newest().fail(false);
    newest().fail(false);
    expect([isLive(), seen]).toEqual([false, [false]]);
    newest().ready('c1');
    expect([isLive(), seen]).toEqual([true, [false, true]]);
    stop();
  });
});
