import { setTimeout as wait } from 'node:timers/promises';
import type { RunningStack } from '@switchboard/dev';
import { treesCpuMicros } from './cpu.js';

const LOOK_MS = 1_000;
/** Five times what an idle stack takes in a second. */
const QUIET_MICROS = 150_000;
const DEADLINE_MS = 180_000;

/**
 * Waits until a stack has no more work: what follows a load would be measured with what comes behind it.
 *
 * @throws Error when it has some for three minutes
 */
export async function untilQuiet({ devJson: { processes } }: RunningStack): Promise<void> {
  const pids = processes.map(({ pid }) => pid);
  const untilMs = performance.now() + DEADLINE_MS;
  for (let before = treesCpuMicros(pids); performance.now() < untilMs;) {
    await wait(LOOK_MS);
    const now = treesCpuMicros(pids);
    if (now - before < QUIET_MICROS) return;
    before = now;
  }
  throw new Error('the stack has been at work for three minutes behind a load');
}
