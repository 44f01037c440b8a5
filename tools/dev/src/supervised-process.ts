import { setTimeout as delay } from 'node:timers/promises';

/** One run of a process, from ready to its end. */
export interface Run {
  readonly pid: number;
  /** Where it listens, without credentials. */
  readonly url: string | undefined;
  /** Where operators reach it, when that is another address. */
  readonly internalUrl?: string | undefined;
  /** Resolves, with a few words on how, when it has ended. Never rejects. */
  readonly exited: Promise<string>;
  /** Ends it in its own orderly way, by force when `graceMs` was not enough. */
  stop(graceMs: number): Promise<void>;
}

/** What a supervised process reports to its owner. */
export interface SupervisedEvents {
  /** It is ready again, with another pid. */
  readonly onReady: () => void;
  /** One line for the user: it died, it is back. */
  readonly onNote: (text: string) => void;
}

const backoffMs = { first: 200, max: 10_000 } as const;
/** A run of this length shows that the former trouble is over: the next death is answered fast again. */
const steadyMs = 30_000;

/** A process that is started again, after a pause that grows, whenever it ends without having been asked to. */
export class SupervisedProcess {
  private current: Run | undefined;
  private count = 0;
  private killedAt = 0;
  private readonly stopping = new AbortController();
  private launching: Promise<unknown> = Promise.resolve();
  private watching: Promise<void> = Promise.resolve();
  private readyListeners: (() => void)[] = [];

  /** @param launch starts one run and resolves when it is ready; ends what it began and rejects when `signal` aborts. */
  constructor(
    readonly name: string,
    private readonly launch: (signal: AbortSignal) => Promise<Run>,
    private readonly events: SupervisedEvents,
  ) {}

  /** Of the current run; of the last one while there is none. 0 before the first. */
  get pid(): number {
    return this.current?.pid ?? 0;
  }

  get url(): string | undefined {
    return this.current?.url;
  }

  get internalUrl(): string | undefined {
    return this.current?.internalUrl;
  }

  /** The first start. @throws when it does not become ready: a start that never worked is not repeated. */
  async start(): Promise<void> {
    const run = await this.launchOnce();
    this.watching = this.watch(run);
  }

  /** Sends a signal, as a crash or an operator would. @returns when the current run has ended. */
  async kill(signal: NodeJS.Signals): Promise<void> {
    const run = this.current;
    if (run === undefined) throw new Error(`${this.name} does not run.`);
    this.killedAt = this.count;
    process.kill(run.pid, signal);
    await run.exited;
  }

  /** Resolves when a run that began after the last `kill` is ready. */
  async restarted(): Promise<void> {
    while (this.count <= this.killedAt) await new Promise<void>((resolve) => this.readyListeners.push(resolve));
  }

  /** Ends it for good. @returns when it is gone. */
  async stop(graceMs: number): Promise<void> {
    this.stopping.abort();
    await this.current?.stop(graceMs);
    await this.launching.catch(() => undefined);
    await this.watching;
  }

  private launchOnce(): Promise<Run> {
    const launching = this.launchAndAnnounce();
    this.launching = launching;
    return launching;
  }

  private async launchAndAnnounce(): Promise<Run> {
    const run = await this.launch(this.stopping.signal);
    this.current = run;
    this.count += 1;
    for (const resolve of this.readyListeners.splice(0)) resolve();
    if (this.stopping.signal.aborted) await run.stop(1_000);
    return run;
  }

  private async watch(first: Run): Promise<void> {
    let run: Run | undefined = first;
    let pauseMs: number = backoffMs.first;
    let startedAt = Date.now();
    for (;;) {
      if (run !== undefined) {
        const how = await run.exited;
        if (this.stopping.signal.aborted) return;
        // A death that was ordered says nothing about the program.
        const isOrdered = this.killedAt === this.count;
        if (isOrdered || Date.now() - startedAt > steadyMs) pauseMs = backoffMs.first;
        this.events.onNote(`${this.name} ended (${how}); it is started again in ${pauseMs / 1000} s`);
      }
      await delay(pauseMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      if (this.stopping.signal.aborted) return;
      pauseMs = Math.min(pauseMs * 2, backoffMs.max);
      startedAt = Date.now();
      run = await this.launchOnce().catch((error: unknown) => {
        if (!this.stopping.signal.aborted) {
          const reason = error instanceof Error ? error.message : String(error);
          this.events.onNote(`${this.name} did not start; tried again in ${pauseMs / 1000} s: ${reason}`);
        }
        return undefined;
      });
      if (run === undefined || this.stopping.signal.aborted) continue;
      this.events.onNote(`${this.name} is back (pid ${run.pid})`);
      this.events.onReady();
    }
  }
}
