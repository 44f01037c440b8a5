import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const SUFFIX = '.begun';

/** An attempt as a journal names it: which of its leases, and the message, as several may be claimed under one lease. */
export function begunLine(leaseNumber: string, messageId: string): string {
  return `${leaseNumber} ${messageId}\n`;
}

/**
 * A file of attempts that were about to begin, one a line, below the boot id of the machine that wrote it.
 *
 * A line is written by one call before the first byte of its request may leave, so it survives every end of the process;
 * not that of the machine, which another boot id shows.
 */
export class JournalFile {
  private bytes = 0;

  private constructor(
    private readonly path: string,
    private readonly fd: number,
  ) {}

  /** @throws when it is there already, or cannot be written */
  static create(folder: string, generation: string): JournalFile {
    const path = journalPath(folder, generation);
    const file = new JournalFile(path, openSync(path, 'ax', 0o600));
    try {
      file.append(`${bootId()}\n`);
    } catch (error) {
      file.remove();
      throw error;
    }
    return file;
  }

  get size(): number {
    return this.bytes;
  }

  /** @throws when the whole of it could not be written */
  append(line: string): void {
    const written = writeSync(this.fd, line);
    if (written !== Buffer.byteLength(line)) throw new Error(`a journal took ${written} bytes of a line`);
    this.bytes += written;
  }

  close(): void {
    closeSync(this.fd);
  }

  /** Also where somebody has removed it. */
  remove(): void {
    this.close();
    rmSync(this.path, { force: true });
  }
}

/** The generation that a file of the folder is the journal of; null for another file. */
export function generationOf(fileName: string): string | null {
  return fileName.endsWith(SUFFIX) ? fileName.slice(0, -SUFFIX.length) : null;
}

/** The lines of a journal; null when it is not of this boot: what was written last may be missing then. */
export async function readJournal(folder: string, generation: string): Promise<ReadonlySet<string> | null> {
  const [boot, ...lines] = (await readFile(journalPath(folder, generation), 'utf8')).split('\n');
  if (boot !== bootId()) return null;
  return new Set(lines.map((line) => `${line}\n`));
}

/** Where the journal of a generation is. */
export function journalPath(folder: string, generation: string): string {
  return join(folder, generation + SUFFIX);
}

/** Of the kernel: containers of one machine share it. @throws where there is none: no journal there */
function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}
