import type { Sources } from './sources.js';

/** One thing that the whole repository must satisfy. */
export interface Check {
  /** Shown next to its time; lower case words. */
  readonly name: string;
  /**
   * @returns one line a problem, `path:line what is wrong` where a line is known; empty means that it holds. A check
   * reports everything it finds, never just the first.
   */
  run(sources: Sources): readonly string[] | Promise<readonly string[]>;
}
