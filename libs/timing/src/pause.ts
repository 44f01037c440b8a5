import { setTimeout as wait } from 'node:timers/promises';

/** Waits, or returns early when the signal aborts. */
export async function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  try {
    await wait(durationMs, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
