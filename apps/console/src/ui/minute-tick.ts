const MINUTE_MS = 60_000;

const listeners = new Set<() => void>();
let count = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/** Calls the listener every minute, all of them at once and by one timer. @returns ends it */
export function everyMinute(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, MINUTE_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** How many minutes have passed while anything listened: another number after each. */
export function minuteCount(): number {
  return count;
}

function tick(): void {
  count++;
  for (const listener of listeners) listener();
}
