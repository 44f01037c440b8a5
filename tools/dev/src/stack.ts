import { identifyProcess } from '@switchboard/embedded-servers';
import { type DataFolder, type RunEntry, writePrivately } from './data-folder.js';
import type { DevJson } from './dev-json.js';
import { type Run, SupervisedProcess } from './supervised-process.js';

/** The parts of a stack, in the order in which they are ended. */
type Rank = 'service' | 'server';

const ranks: readonly { rank: Rank; graceMs: number }[] = [
  // Together below the 10 s that Ctrl-C may take. A service ends by itself after 7.5 s at the latest (STOP_DEADLINE_MS).
  { rank: 'service', graceMs: 7_750 },
  { rank: 'server', graceMs: 2_000 },
];

/** A process of a running stack, as a test handles it. */
export interface StackProcess {
  readonly name: string;
  readonly pid: number;
  /** Where it listens, without credentials. */
  readonly url: string | undefined;
  /** Sends a signal as a crash or an operator would. @returns when that run has ended. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Resolves when a run that began after the last `kill` is ready, and dev.json names it. */
  restarted(): Promise<void>;
}

/** Everything that one start supervises. Processes are added as they are started. */
export class Stack {
  readonly stopping = new AbortController();
  private readonly members: { rank: Rank; process: SupervisedProcess }[] = [];
  private describe: (() => DevJson) | undefined;
  private writing: Promise<void> = Promise.resolve();
  private stopped: Promise<void> | undefined;

  constructor(
    private readonly folder: DataFolder,
    private readonly onNote: (text: string) => void,
  ) {}

  /** Starts a process and supervises it from then on. @throws when its first start fails. */
  async add(rank: Rank, name: string, launch: (signal: AbortSignal) => Promise<Run>): Promise<SupervisedProcess> {
    this.stopping.signal.throwIfAborted();
    const process = new SupervisedProcess(name, launch, {
      onReady: () => void this.record().catch((error: unknown) => this.onNote(`the run files: ${String(error)}`)),
      onNote: this.onNote,
    });
    this.members.push({ rank, process });
    await process.start();
    await this.record();
    return process;
  }

  /** Begins to write dev.json, and keeps it true. */
  async publish(describe: () => DevJson): Promise<void> {
    this.describe = describe;
    await this.record();
  }

  get processes(): readonly SupervisedProcess[] {
    return this.members.map(({ process }) => process);
  }

  /** @throws Error when there is no such process. */
  process(name: string): StackProcess {
    const found = this.processes.find((process) => process.name === name);
    if (found === undefined) throw new Error(`There is no process ${name} in this stack.`);
    return {
      name,
      get pid() {
        return found.pid;
      },
      get url() {
        return found.url;
      },
      kill: (signal) => found.kill(signal),
      restarted: async () => {
        await found.restarted();
        await this.record();
      },
    };
  }

  /**
   * Ends everything, services first, and gives the data folder back; within 10 s, unless servers may take longer for what
   * they write. Repeatable.
   */
  stop(serverGraceMs?: number): Promise<void> {
    this.stopped ??= this.stopAll(serverGraceMs);
    return this.stopped;
  }

  private async stopAll(serverGraceMs: number | undefined): Promise<void> {
    this.stopping.abort();
    for (const { rank, graceMs } of ranks) {
      const members = this.members.filter((member) => member.rank === rank);
      const ownGraceMs = rank === 'server' ? (serverGraceMs ?? graceMs) : graceMs;
      await Promise.all(members.map(({ process }) => process.stop(ownGraceMs)));
    }
    await this.writing.catch(() => undefined);
    await this.folder.release();
  }

  /** Writes are queued, so that an older state never replaces a newer one. */
  private record(): Promise<void> {
    const write = async (): Promise<void> => {
      if (this.stopping.signal.aborted) return;
      const entries: RunEntry[] = [];
      for (const { name, pid } of this.processes) {
        const identity = await identifyProcess(pid);
        if (identity !== undefined) entries.push({ name, ...identity });
      }
      await this.folder.writeRun(entries);
      if (this.describe !== undefined) await writePrivately(this.folder.devFile, this.describe());
    };
    this.writing = this.writing.catch(() => undefined).then(write);
    return this.writing;
  }
}
