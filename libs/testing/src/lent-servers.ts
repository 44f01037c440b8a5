import { endStarted, type StartShared, type Started } from './start-shared.js';

/** Lends servers of one kind, each to one file of tests at a time. */
export class LentServers {
  private readonly free: Started[] = [];
  /** By worker: the file that it runs, and what is lent to that. */
  private readonly lent = new Map<string, { readonly file: string; readonly started: Started }>();
  private readonly ends: Promise<void>[] = [];

  /** @param waiting how many files will ask, if that is known: those that none of them can need end before the run does */
  constructor(
    private readonly start: StartShared,
    private waiting = Infinity,
  ) {}

  /** One that no other file uses meanwhile; the same each time that a file asks. */
  async lend(worker: string, file: string): Promise<unknown> {
    this.takeBack(worker, file);
    const held = this.lent.get(worker);
    if (!held) this.waiting -= 1;
    const started = held?.started ?? this.free.pop() ?? this.begin();
    this.lent.set(worker, { file, started });
    this.endSpare();
    return (await started).access();
  }

  /** The worker runs this file now: what an earlier one of it had is free. */
  takeBack(worker: string, file: string): void {
    const held = this.lent.get(worker);
    if (!held || held.file === file) return;
    this.lent.delete(worker);
    this.free.push(held.started);
    this.endSpare();
  }

  /** Ends all of them. */
  async end(): Promise<void> {
    this.free.push(...[...this.lent.values()].map(({ started }) => started));
    this.lent.clear();
    this.waiting = 0;
    this.endSpare();
    await Promise.all(this.ends);
  }

  private begin(): Started {
    const started = this.start();
    // The next file tries again.
    started.catch(() => {
      for (const [worker, held] of this.lent) if (held.started === started) this.lent.delete(worker);
      if (this.free.includes(started)) this.free.splice(this.free.indexOf(started), 1);
    });
    return started;
  }

  private endSpare(): void {
    const spare = Math.max(this.free.length - Math.max(this.waiting, 0), 0);
    this.ends.push(...this.free.splice(0, spare).map(endStarted));
  }
}
