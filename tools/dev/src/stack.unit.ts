import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { STOP_DEADLINE_MS } from '@switchboard/platform';
import { DataFolder } from './data-folder.js';
import { Stack } from './stack.js';

/** What `npm stop` and Ctrl-C may take. */
const STOP_MS_MAX = 10_000;
/** No process has it. */
const NO_PID = 2 ** 22 + 1;

let path: string;

beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'switchboard-stack-'));
});

afterEach(async () => {
  jest.useRealTimers();
  await rm(path, { recursive: true });
});

/** A stack of processes that end only by force, and when each was asked to end and was killed, from the beginning of its stop. */
async function stubbornStack(): Promise<{ stack: Stack; ends: Map<string, { asked: number; killed: number }> }> {
  const folder = new DataFolder(path);
  await folder.acquire();
  const stack = new Stack(folder, () => undefined);
  const ends = new Map<string, { asked: number; killed: number }>();
  for (const [rank, name] of [
    ['server', 'postgres'],
    ['server', 'nats'],
    ['server', 'simulator'],
    ['service', 'gateway'],
    ['service', 'messaging'],
  ] as const) {
    const { promise: exited, resolve: end } = Promise.withResolvers<string>();
    await stack.add(rank, name, async () => ({
      pid: NO_PID,
      url: undefined,
      exited,
      stop: async (graceMs) => {
        const asked = performance.now();
        await new Promise((resolve) => setTimeout(resolve, graceMs));
        ends.set(name, { asked, killed: performance.now() });
        end('signal SIGKILL');
      },
    }));
  }
  return { stack, ends };
}

describe('the stop of a stack', () => {
  it('leaves a service all of its own time, ends servers behind services, and takes 10 s', async () => {
    const { stack, ends } = await stubbornStack();
    jest.useFakeTimers({ now: 0 });
    const begun = performance.now();
    const stopped = stack.stop();
    await jest.advanceTimersByTimeAsync(2 * STOP_MS_MAX);
    await stopped;
    const killedMs = (name: string): number => (ends.get(name)?.killed ?? Infinity) - begun;
    for (const name of ['gateway', 'messaging']) expect(killedMs(name)).toBeGreaterThan(STOP_DEADLINE_MS);
    for (const name of ['postgres', 'nats', 'simulator']) {
      expect(ends.get(name)?.asked).toBeGreaterThanOrEqual(killedMs('messaging') + begun);
      expect(killedMs(name)).toBeLessThan(STOP_MS_MAX);
    }
  });
});
