/**
 * For a machine at a tenth of its speed: what a timer of this process is given from now on, if it is this long or longer, is ten times as
 * much.
 *
 * @returns ends it
 */
export function lengthenDeadlines(fromMs: number): () => void {
  const own = globalThis.setTimeout;
  globalThis.setTimeout = new Proxy(own, {
    apply: (begin, _self, [run, durationMs = 0, ...given]: Parameters<typeof setTimeout>) =>
      begin(run, durationMs < fromMs ? durationMs : 10 * durationMs, ...given),
  });
  return () => void (globalThis.setTimeout = own);
}
