import { describe, expect, it, jest } from '@jest/globals';
import {
  backoffMs,
  BurstPace,
  endsWithin,
  jittered,
  onBeat,
  pause,
  SharedPause,
  untilBeat,
  withDeadline,
} from './index.js';

const middle = (): number => 0.5;

describe('backoffMs', () => {
  it('begins with the first pause, grows by its factor and stays at the longest', () => {
    const pauses = [1, 2, 3, 4, 5_000].map((failures) => backoffMs(failures, { firstMs: 100, maxMs: 700 }, middle));
    expect(pauses).toEqual([100, 200, 400, 700, 700]);
    expect(backoffMs(3, { firstMs: 4_000, maxMs: 3_600_000, factor: 4 }, middle)).toBe(64_000);
  });

  it('varies by a quarter to either side, at the longest pause too', () => {
    const growth = { firstMs: 100, maxMs: 400 };
    expect([backoffMs(9, growth, () => 0), backoffMs(9, growth, () => 1)]).toEqual([300, 500]);
    expect([jittered(1_000, () => 0), jittered(1_000, middle), jittered(1_000, () => 1)]).toEqual([750, 1_000, 1_250]);
  });
});

describe('the beat of a process', () => {
  it('brings those together that look every so often, wherever they are, and waits for half of it to one and a half', () => {
    const looks = Array.from({ length: 100 }, (_none, n) => 123_456.7 + n * 57.3);
    for (const nowMs of looks) {
      const waitMs = untilBeat(2_000, nowMs);
      expect(waitMs).toBeGreaterThanOrEqual(1_000);
      expect(waitMs).toBeLessThanOrEqual(3_001);
    }
    const ends = looks.map((nowMs) => nowMs + untilBeat(2_000, nowMs)).toSorted((a, b) => a - b);
    const beats = ends.filter((endMs, index) => endMs - (ends[index - 1] ?? 0) > 2);
    expect(beats.length).toBeLessThanOrEqual(4);
    // On the beat, the next one is a whole interval away.
    const first = 1_000_000 + untilBeat(500, 1_000_000);
    expect(Math.abs(untilBeat(500, first) - 500)).toBeLessThanOrEqual(1);
  });

  it('calls again and again until it is stopped', () => {
    jest.useFakeTimers();
    const work = jest.fn();
    const calls = onBeat(1_000, work);
    jest.advanceTimersByTime(10_500);
    expect(work.mock.calls.length).toBeGreaterThanOrEqual(9);
    expect(work.mock.calls.length).toBeLessThanOrEqual(11);
    const { length: before } = work.mock.calls;
    calls.stop();
    jest.advanceTimersByTime(10_000);
    expect(work).toHaveBeenCalledTimes(before);
    jest.useRealTimers();
  });
});

describe('withDeadline', () => {
  const never = new Promise<never>(() => undefined);

  it('gives the result, or the failure, of work that ends in time, and leaves no timer', async () => {
    const clear = jest.spyOn(globalThis, 'clearTimeout');
    await expect(withDeadline(Promise.resolve('done'), 60_000, () => 'late')).resolves.toBe('done');
    await expect(withDeadline(Promise.reject(new Error('broken')), 60_000, () => 'late')).rejects.toThrow('broken');
    expect(clear).toHaveBeenCalledTimes(2);
    clear.mockRestore();
  });

  it('returns or throws the substitute for work that is late', async () => {
    await expect(withDeadline(never, 1, () => 'late')).resolves.toBe('late');
    const onLate = (): never => {
      throw new RangeError('too late');
    };
    await expect(withDeadline(never, 1, onLate)).rejects.toThrow(RangeError);
  });

  it('ignores a failure that comes after the deadline', async () => {
    const work = Promise.withResolvers<never>();
    await withDeadline(work.promise, 1, () => null);
    const unhandled = jest.fn();
    process.once('unhandledRejection', unhandled);
    work.reject(new Error('no caller waits'));
    await new Promise(setImmediate);
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it('says whether work ends in time', async () => {
    expect([await endsWithin(Promise.resolve(), 60_000), await endsWithin(never, 1)]).toEqual([true, false]);
    await expect(endsWithin(Promise.reject(new Error('broken')), 60_000)).rejects.toThrow('broken');
  });
});

describe('pause', () => {
  it('ends when the signal aborts, before it begins or meanwhile', async () => {
    const stop = new AbortController();
    const pausing = pause(2 ** 30, stop.signal);
    stop.abort();
    await pausing;
    await pause(2 ** 30, stop.signal);
  });
});

describe('SharedPause', () => {
  it('ends at once for all who wait, is begun anew by the next, and lasts no longer than its signal', async () => {
    const over = new AbortController();
    const short = new SharedPause(1, over.signal);
    const ended: string[] = [];
    await Promise.all(['one', 'two', 'three'].map(async (name) => short.wait().then(() => ended.push(name))));
    await short.wait();
    expect(ended).toEqual(['one', 'two', 'three']);

    const long = new SharedPause(60_000, over.signal);
    const waiting = [long.wait(), long.wait(), long.wait()];
    over.abort();
    await Promise.all([...waiting, long.wait()]);
  });

  it('is none after a quiet time, and ends early when many wait', async () => {
    const long = new SharedPause(2 ** 30, new AbortController().signal, 2);
    await long.wait();
    let isEarly = true;
    const first = long.wait().then(() => isEarly);
    await new Promise(setImmediate);
    isEarly = false;
    await Promise.all([first, long.wait()]);
    expect(await first).toBe(false);
  });
});

describe('BurstPace', () => {
  it('lets a few begin at once after a quiet time, and keeps the distance in the long run', () => {
    const pace = new BurstPace(10, 3);
    const begins: number[] = [];
    for (let nowMs = 1_000; begins.length < 6; nowMs = Math.max(nowMs, pace.readyMs)) {
      pace.begin(nowMs);
      begins.push(nowMs);
    }
    expect(begins).toEqual([1_000, 1_000, 1_000, 1_010, 1_020, 1_030]);
    expect(pace.readyMs).toBeLessThan(1_060);
    pace.begin(2_000);
    expect(pace.readyMs).toBeLessThanOrEqual(2_000);
  });

  it('makes no debt of begins that did not wait', () => {
    const pace = new BurstPace(10, 3);
    for (let begins = 0; begins < 1_000; begins++) pace.begin(1_000 + begins);
    expect(pace.readyMs).toBeLessThanOrEqual(1_999 + 10);
  });

  it('holds up none without a distance', () => {
    const pace = new BurstPace(0, 3);
    for (let begins = 0; begins < 9; begins++) pace.begin(5);
    expect(pace.readyMs).toBe(5);
  });
});
