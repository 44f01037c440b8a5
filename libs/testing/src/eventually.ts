import { setTimeout as wait } from 'node:timers/promises';

const POLL_MS = 10;
/** Ends the wait for what never comes; no measure of speed: other processes may have most of the machine. */
const DEADLINE_MS = 120_000;

/**
 * Awaits what another process, or a loop of this one, will bring about and cannot signal.
 *
 * @param check resolves to the wanted value; throws, or resolves to undefined or false, as long as it is not so
 * @returns the value
 * @throws the last error of `check`, or one that says how long it took, after `deadlineMs` (2 minutes)
 */
export async function eventually<Value>(
  check: () => Promise<Value | undefined | false> | Value | undefined | false,
  options: { readonly deadlineMs?: number } = {},
): Promise<Value> {
  const deadlineMs = options.deadlineMs ?? DEADLINE_MS;
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    let failure: unknown = new Error(`it was not so within ${deadlineMs} ms`);
    try {
      const value = await check();
      if (value !== undefined && value !== false) return value;
    } catch (error) {
      failure = error;
    }
    if (performance.now() >= deadline) throw failure;
    await wait(POLL_MS);
  }
}
