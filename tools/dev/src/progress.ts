/** What a start says while it works: one line when a step is done, with its time. */
export class Progress {
  /** @param write takes one line without its end. */
  constructor(private readonly write: (line: string) => void) {}

  /**
   * Runs a step and says how long it took.
   *
   * @param say words for the line, made from the step's result; the label alone without it.
   */
  async step<T>(label: string, work: () => Promise<T>, say?: (result: T) => string): Promise<T> {
    const begun = performance.now();
    // A step that takes long says so once, so that silence is not taken for a hang.
    const slow = setTimeout(() => this.write(`  … ${label}`), 3_000);
    try {
      const result = await work();
      const seconds = `${((performance.now() - begun) / 1000).toFixed(1)} s`;
      this.write(`  ✓ ${(say?.(result) ?? label).padEnd(34)} ${seconds.padStart(8)}`);
      return result;
    } finally {
      clearTimeout(slow);
    }
  }

  /** One line next to the steps. */
  note(text: string): void {
    this.write(`  ! ${text}`);
  }
}
