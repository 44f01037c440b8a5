/** Where the beats of this process lie: replicas that were started together do not look together. */
const PHASE_MS = Math.random() * 60_000;

/**
 * A pause of about so long that ends on a beat of the process, for who looks now and then whether there is work. Without work a
 * process is woken by such looks above all, and a wake-up costs more than the look: those that look every so often do it at the
 * same moments, and share their wake-ups.
 *
 * @param everyMs how often; at least half of it is waited, at most one and a half
 * @param nowMs of the process's monotonic clock; injected by tests
 * @returns whole milliseconds
 */
export function untilBeat(everyMs: number, nowMs: number = performance.now()): number {
  const sinceMs = nowMs + PHASE_MS;
  return Math.ceil(Math.ceil(sinceMs / everyMs + 0.5) * everyMs - sinceMs);
}

/** What is done on the process's beat until it is stopped. */
export interface OnBeat {
  stop(): void;
}

/** Does something about every so often, on the beat; keeps no process alive. */
export function onBeat(everyMs: number, work: () => void): OnBeat {
  const next = (): NodeJS.Timeout => setTimeout(run, untilBeat(everyMs)).unref();
  let timer: NodeJS.Timeout;
  function run(): void {
    timer = next();
    work();
  }
  timer = next();
  return { stop: () => clearTimeout(timer) };
}
