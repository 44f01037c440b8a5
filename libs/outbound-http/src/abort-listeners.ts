/**
 * Listeners of aborts: one of the signal's own for all, as a signal goes through all of its own with each that is added or
 * removed, and thousands of requests may share one.
 */
export class AbortListeners {
  private readonly bySignal = new WeakMap<AbortSignal, Set<() => void>>();

  /** @returns ends it */
  add(signal: AbortSignal, onAbort: () => void): () => void {
    const listeners = this.of(signal);
    listeners.add(onAbort);
    return () => void listeners.delete(onAbort);
  }

  private of(signal: AbortSignal): Set<() => void> {
    const known = this.bySignal.get(signal);
    if (known) return known;
    const listeners = new Set<() => void>();
    this.bySignal.set(signal, listeners);
    const callAll = (): void => {
      for (const listener of listeners) listener();
    };
    signal.addEventListener('abort', callAll, { once: true });
    return listeners;
  }
}
