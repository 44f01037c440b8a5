import { describe, expect, it, jest } from '@jest/globals';
import { type Run, SupervisedProcess } from './supervised-process.js';

/** A process that exists in name only; `end` is its death. */
function fakeRun(pid: number): Run & { end(how: string): void } {
  let end: (how: string) => void = () => undefined;
  const exited = new Promise<string>((resolve) => (end = resolve));
  return { pid, url: undefined, exited, end, stop: async () => end('asked') };
}

describe('a supervised process', () => {
  it('is started again when it ends by itself, says so, and announces the new run', async () => {
    const runs = [fakeRun(1), fakeRun(2)];
    const pending = [...runs];
    const notes: string[] = [];
    const onReady = jest.fn();
    const supervised = new SupervisedProcess(
      'gateway',
      async () => pending.shift() ?? Promise.reject(new Error('no more')),
      { onReady, onNote: (text) => notes.push(text) },
    );
    await supervised.start();
    expect(supervised.pid).toBe(1);
    runs[0]?.end('signal SIGKILL');
    await new Promise<void>((resolve) => onReady.mockImplementation(() => resolve()));
    expect(supervised.pid).toBe(2);
    expect(notes).toEqual(['gateway ended (signal SIGKILL); it is started again in 0.2 s', 'gateway is back (pid 2)']);
    await supervised.stop(1_000);
    expect(onReady).toHaveBeenCalledTimes(1);
  });

  it('is tried again, after longer pauses, while it does not start', async () => {
    const first = fakeRun(1);
    let launches = 0;
    const notes: string[] = [];
    let onSecondFailure: () => void = () => undefined;
    const failedTwice = new Promise<void>((resolve) => (onSecondFailure = resolve));
    const supervised = new SupervisedProcess(
      'nats',
      async () => {
        launches += 1;
        if (launches === 1) return first;
        throw new Error('port taken');
      },
      {
        onReady: () => undefined,
        onNote: (text) => {
          notes.push(text);
          if (notes.length === 3) onSecondFailure();
        },
      },
    );
    await supervised.start();
    first.end('exit code 1');
    await failedTwice;
    await supervised.stop(1_000);
    expect(notes).toEqual([
      'nats ended (exit code 1); it is started again in 0.2 s',
      'nats did not start; tried again in 0.4 s: port taken',
      'nats did not start; tried again in 0.8 s: port taken',
    ]);
  });

  it('is back at once however often it is killed on purpose', async () => {
    const notes: string[] = [];
    let run = fakeRun(1);
    const events = { onReady: () => undefined, onNote: (text: string) => void notes.push(text) };
    const supervised = new SupervisedProcess('messaging', async () => (run = fakeRun(run.pid + 1)), events);
    const signal = jest.spyOn(process, 'kill').mockImplementation((_pid, name) => {
      run.end(`signal ${String(name)}`);
      return true;
    });
    await supervised.start();
    for (const _ of [1, 2]) {
      await supervised.kill('SIGKILL');
      await supervised.restarted();
    }
    signal.mockRestore();
    await supervised.stop(1_000);
    const ends = notes.filter((note) => note.includes('ended'));
    expect(ends).toEqual(Array(2).fill('messaging ended (signal SIGKILL); it is started again in 0.2 s'));
  });

  it('stays down once stopped, also when the stop came while it was being started', async () => {
    const run = fakeRun(7);
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const supervised = new SupervisedProcess(
      'contacts',
      async () => {
        await held;
        return run;
      },
      { onReady: () => undefined, onNote: () => undefined },
    );
    const starting = supervised.start();
    const stopping = supervised.stop(1_000);
    release();
    await Promise.all([starting, stopping]);
    expect(await run.exited).toBe('asked');
  });

  it('fails for good when its first start fails', async () => {
    const supervised = new SupervisedProcess('gateway', () => Promise.reject(new Error('port taken')), {
      onReady: () => undefined,
      onNote: () => undefined,
    });
    await expect(supervised.start()).rejects.toThrow('port taken');
    await supervised.stop(1_000);
  });
});
