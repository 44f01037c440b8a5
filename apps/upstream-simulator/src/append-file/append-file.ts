import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';

const READ_CHUNK_BYTES = 1 << 20;
const NEWLINE = 0x0a;

/** Where a line lies in its file, in bytes, without its newline. */
export interface LinePosition {
  readonly offset: number;
  readonly bytes: number;
}

/**
 * A file of lines that only grows. Lines are gathered in memory and written together by `flush`; their positions are known
 * at once. A last line without a newline, left by a kill in the middle of a write, is cut off when the file is opened.
 */
export class AppendFile {
  readonly #descriptor: number;
  #written: number;
  #gathered = '';
  #gatheredBytes = 0;

  constructor(path: string) {
    this.#descriptor = openSync(path, 'a+', 0o600);
    this.#written = fstatSync(this.#descriptor).size;
    const wholeBytes = bytesOfWholeLines(this.#descriptor, this.#written);
    if (wholeBytes < this.#written) this.#truncate(wholeBytes);
  }

  /** Size in bytes, gathered lines included. */
  get size(): number {
    return this.#written + this.#gatheredBytes;
  }

  /** Gathers one line; `line` must not contain a newline. */
  append(line: string): LinePosition {
    const position = { offset: this.size, bytes: Buffer.byteLength(line) };
    this.#gathered += line + '\n';
    this.#gatheredBytes += position.bytes + 1;
    return position;
  }

  /** Writes what was gathered. @throws the system's error, such as ENOSPC. */
  flush(): void {
    if (this.#gatheredBytes === 0) return;
    const buffer = Buffer.from(this.#gathered);
    for (let done = 0; done < buffer.length;) done += writeSync(this.#descriptor, buffer, done);
    this.#written += buffer.length;
    this.#gathered = '';
    this.#gatheredBytes = 0;
  }

  /** The line at a position that `append` or `readLines` gave. */
  read(position: LinePosition): string {
    if (position.offset + position.bytes > this.#written) this.flush();
    const buffer = Buffer.allocUnsafe(position.bytes);
    const length = readSync(this.#descriptor, buffer, 0, position.bytes, position.offset);
    return buffer.toString('utf8', 0, length);
  }

  /** Calls `onLine` with every line that is written, in order. */
  readLines(onLine: (line: string, position: LinePosition) => void): void {
    const chunk = Buffer.allocUnsafe(READ_CHUNK_BYTES);
    let rest: Buffer = Buffer.alloc(0);
    let offset = 0;
    for (let at = 0; at < this.#written;) {
      const length = readSync(this.#descriptor, chunk, 0, chunk.length, at);
      if (length === 0) break;
      at += length;
      const buffer = Buffer.concat([rest, chunk.subarray(0, length)]);
      let start = 0;
      for (let end = buffer.indexOf(NEWLINE); end !== -1; end = buffer.indexOf(NEWLINE, start)) {
        onLine(buffer.toString('utf8', start, end), { offset: offset + start, bytes: end - start });
        start = end + 1;
      }
      offset += start;
      rest = buffer.subarray(start);
    }
  }

  /** Empties the file, gathered lines included. */
  clear(): void {
    this.#gathered = '';
    this.#gatheredBytes = 0;
    this.#truncate(0);
  }

  /** Writes what was gathered and closes the file. */
  close(): void {
    this.flush();
    closeSync(this.#descriptor);
  }

  #truncate(bytes: number): void {
    ftruncateSync(this.#descriptor, bytes);
    this.#written = bytes;
  }
}

/** Read from the end on, so that a long file is opened as fast as a short one. */
function bytesOfWholeLines(descriptor: number, size: number): number {
  const chunk = Buffer.allocUnsafe(Math.min(size, READ_CHUNK_BYTES));
  for (let end = size; end > 0;) {
    const from = Math.max(0, end - chunk.length);
    const length = readSync(descriptor, chunk, 0, end - from, from);
    const newline = chunk.subarray(0, length).lastIndexOf(NEWLINE);
    if (newline >= 0) return from + newline + 1;
    end = from;
  }
  return 0;
}
