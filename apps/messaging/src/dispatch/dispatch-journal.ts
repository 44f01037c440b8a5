import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import type { Log } from '@switchboard/platform';
import type { Dispatch } from './dispatch.entity.js';
import { begunLine, JournalFile } from './journal-file.js';
import { noteOfEnd, ProcessLock } from './process-lock.js';

/** Of one file; 70,000 attempts. */
const FILE_BYTES_MAX = 2 * 1024 * 1024;
/** How long a file is kept after the last lease was drawn from it: far longer than a lease waits for its mark and ends. */
const KEEP_MS = 5 * 60_000;
/** After a failure it goes on in a new file: a disk that was full is freed. */
const TRY_AGAIN_MS = 10_000;

/** A file with the leases that name it. */
interface Generation {
  readonly name: string;
  readonly file: JournalFile;
  leases: number;
  replacedMs: number;
}

/**
 * Draws leases, and notes of each attempt that it is about to begin where a successor of this process can read it: what
 * a killed process had marked and not noted provably never left (ADR 0037).
 *
 * A lease names the file that its attempt is noted in. One that names none has no evidence, and its outcome is UNKNOWN
 * when the process dies.
 */
export class DispatchJournal {
  /** Of this process. */
  readonly instance = randomBytes(8).toString('hex');
  private readonly generations = new Map<string, Generation>();
  private current: Generation | undefined;
  private generationsMade = 0;
  private tryAgainAtMs = Infinity;

  private constructor(
    readonly folder: string,
    private readonly log: Log,
    private lock: ProcessLock | undefined,
  ) {}

  /**
   * @param folder on a disk of this machine, shared by the processes that follow one another; empty: no journal
   * @returns one that notes nothing when the folder cannot be used: sends go on, and the log says so
   */
  static async open(folder: string, log: Log): Promise<DispatchJournal> {
    const journal = new DispatchJournal(folder, log, undefined);
    if (folder !== '') await journal.start();
    return journal;
  }

  /** Whether it can be written, and those of others read. */
  get isOpen(): boolean {
    return this.current !== undefined;
  }

  /** A right to make an attempt that no other has. */
  newLease(): string {
    const isDue = this.current ? this.current.file.size >= FILE_BYTES_MAX : performance.now() >= this.tryAgainAtMs;
    if (isDue) this.rotate();
    const { current } = this;
    return current ? `${current.name}.${(current.leases++).toString(36)}` : randomBytes(9).toString('base64');
  }

  /**
   * Notes that an attempt is about to begin; to be called right before its first byte may leave.
   *
   * @throws when that cannot be noted: the attempt must not begin, as it would pass for one that never did
   */
  begin({ lease, messageId }: Pick<Dispatch, 'lease' | 'messageId'>): void {
    const [name = '', leaseNumber] = lease.split('.');
    if (leaseNumber === undefined) return;
    const generation = this.generations.get(name);
    if (!generation) throw new Error('the journal of the attempt is closed');
    try {
      generation.file.append(begunLine(leaseNumber, messageId));
    } catch (error) {
      this.lose(error);
      throw error;
    }
  }

  /**
   * Ends in order: nothing begins any more.
   *
   * @param ended `isAllRecorded`: it is recorded what came of each attempt; otherwise the files are left to a successor
   */
  async close({ isAllRecorded }: { readonly isAllRecorded: boolean }): Promise<void> {
    this.tryAgainAtMs = Infinity;
    const generations = this.forget();
    if (isAllRecorded) for (const { file } of generations) file.remove();
    else if (generations.length > 0) this.leave(generations);
    await this.lock?.release();
    this.lock = undefined;
  }

  private leave(generations: readonly Generation[]): void {
    for (const { file } of generations) file.close();
    try {
      noteOfEnd(this.folder, this.instance);
    } catch (error) {
      this.log.error('dispatch.journal-unusable', error, { folder: this.folder });
    }
  }

  /** The lock comes first: a journal without one would look like a dead process's. */
  private async start(): Promise<void> {
    try {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      this.lock = await ProcessLock.hold(this.folder, this.instance);
      this.current = this.makeGeneration();
    } catch (error) {
      this.log.error('dispatch.journal-unusable', error, { folder: this.folder });
    }
  }

  private makeGeneration(): Generation {
    const name = `${this.instance}-${++this.generationsMade}`;
    const generation = { name, file: JournalFile.create(this.folder, name), leases: 0, replacedMs: 0 };
    this.generations.set(name, generation);
    return generation;
  }

  private rotate(): void {
    const nowMs = performance.now();
    try {
      if (this.current) this.current.replacedMs = nowMs;
      this.current = this.makeGeneration();
      for (const { name, file, replacedMs } of this.generations.values()) {
        if (replacedMs === 0 || nowMs - replacedMs < KEEP_MS) continue;
        this.generations.delete(name);
        file.remove();
      }
    } catch (error) {
      this.lose(error);
    }
  }

  /** The files stay: what is in them is true. What was drawn from them and is not in them will not begin. */
  private lose(error: unknown): void {
    this.log.error('dispatch.journal-unusable', error, { folder: this.folder });
    for (const { file } of this.forget()) file.close();
    this.tryAgainAtMs = performance.now() + TRY_AGAIN_MS;
  }

  private forget(): Generation[] {
    const generations = [...this.generations.values()];
    this.generations.clear();
    this.current = undefined;
    return generations;
  }
}

/** The process that drew a generation's leases. */
export function instanceOf(generation: string): string {
  return generation.split('-')[0] ?? '';
}
