/** Who is to be called after each change of something that lies outside of React; `watch` is what `useSyncExternalStore` takes. */
export class Watchers {
  private readonly all = new Set<() => void>();

  /** Calls back after each change. @returns ends it */
  readonly watch = (watcher: () => void): (() => void) => {
    this.all.add(watcher);
    return () => void this.all.delete(watcher);
  };

  /** It has changed. */
  announce(): void {
    for (const watcher of this.all) watcher();
  }
}
