/** What a group writes: its `flush` writes everything gathered so far. */
export interface Flushable {
  flush(): void;
}

/**
 * Joins the writes of one turn of the event loop: one `write` per file for all requests read in it, then everything that
 * waited for them. An answer that goes out through `afterWritten` is therefore on file, in the sense of write(2), when
 * it leaves; a kill -9 of this process loses none of it.
 *
 * The write is synchronous on purpose. It only copies into the page cache (about 10 µs for a whole group); a thread of
 * the pool costs more than that in wake-ups, on a machine whose cores are what the simulator must leave to others.
 */
export class WriteGroup {
  readonly #files: Flushable[] = [];
  #waiting: (() => void)[] = [];
  #scheduled = false;

  /** Makes the file part of the group: its lines are written with the group's. */
  add(file: Flushable): void {
    this.#files.push(file);
  }

  /** Runs the callback after everything appended so far, to any file of the group, has been written. */
  afterWritten(callback: () => void): void {
    this.#waiting.push(callback);
    this.#schedule();
  }

  /** Writes soon what has been appended, with nothing waiting for it. */
  touch(): void {
    this.#schedule();
  }

  /** Writes now and runs what waited. A failing write (a full disk) throws: the record is what the simulator is for. */
  flush(): void {
    this.#scheduled = false;
    for (const file of this.#files) file.flush();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const callback of waiting) callback();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      if (this.#scheduled) this.flush();
    });
  }
}
