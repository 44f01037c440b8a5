import { renameSync, rmSync } from 'node:fs';
import { AppendFile } from '../append-file/append-file.js';
import type { WriteGroup } from '../append-file/write-group.js';
import { asObject, parseJson } from '../json/json-value.js';
import type { CallbackSubject } from './callback.entity.js';
import type { Step } from './status-plan.policy.js';

/** An accepted message with the callbacks that it has coming. */
export interface PendingMessage extends CallbackSubject {
  readonly number: number;
  readonly phoneNumberId: string;
  readonly steps: readonly Step[];
}

/**
 * Remembers across a kill which messages still have callbacks to come. One line for a message, one for the messages that
 * are done. A message whose callbacks were half done gets all of them again after a kill, which the provider's
 * contract allows ("duplicates and any order are normal").
 *
 * The file is rewritten with what is pending at every start and whenever it has grown to four times that.
 */
export class CallbackJournal {
  #file: AppendFile;
  #nextNumber = 1;
  readonly #pending = new Map<number, PendingMessage>();
  #rewriteAboveBytes: number;
  /** What an earlier run left to do, in order. */
  readonly recovered: readonly PendingMessage[];

  /** @param rewriteFloorBytes size below which the file is left to grow. */
  constructor(
    private readonly path: string,
    private readonly group: WriteGroup,
    private readonly rewriteFloorBytes = 64 << 20,
  ) {
    this.recovered = readPending(path).map((message) => ({ ...message, number: this.#nextNumber++ }));
    for (const message of this.recovered) this.#pending.set(message.number, message);
    this.#file = this.#rewritten();
    this.#rewriteAboveBytes = Math.max(rewriteFloorBytes, 4 * this.#file.size);
    group.add(this);
  }

  /** Remembers a message; it is on file when the group has written. */
  add(message: Omit<PendingMessage, 'number'>): PendingMessage {
    const pending = { ...message, number: this.#nextNumber++ };
    this.#pending.set(pending.number, pending);
    this.#file.append(JSON.stringify({ pending }));
    this.group.touch();
    return pending;
  }

  /** Forgets messages whose callbacks have all been taken, or given up. */
  done(numbers: readonly number[]): void {
    if (numbers.length === 0) return;
    for (const number of numbers) this.#pending.delete(number);
    this.#file.append(JSON.stringify({ done: numbers }));
    if (this.#file.size > this.#rewriteAboveBytes) this.#rewrite();
    this.group.touch();
  }

  /** Writes what is gathered. */
  flush(): void {
    this.#file.flush();
  }

  /** Writes what is gathered and closes the file. */
  close(): void {
    this.#file.close();
  }

  #rewrite(): void {
    this.#file.close();
    this.#file = this.#rewritten();
    this.#rewriteAboveBytes = Math.max(this.rewriteFloorBytes, 4 * this.#file.size);
  }

  /** A new file takes the old one's place only when it is whole. */
  #rewritten(): AppendFile {
    const unfinished = `${this.path}.new`;
    rmSync(unfinished, { force: true });
    const file = new AppendFile(unfinished);
    for (const pending of this.#pending.values()) file.append(JSON.stringify({ pending }));
    file.flush();
    renameSync(unfinished, this.path);
    return file;
  }
}

function readPending(path: string): readonly PendingMessage[] {
  const pending = new Map<number, PendingMessage>();
  const file = new AppendFile(path);
  file.readLines((line) => {
    const entry = asObject(parseJson(line));
    const message = entry?.['pending'];
    if (isPending(message)) pending.set(message.number, message);
    const done = entry?.['done'];
    if (Array.isArray(done)) for (const number of done) pending.delete(Number(number));
  });
  file.close();
  return [...pending.values()];
}

/** Only this program writes the file, and unfinished lines are cut off: that it is a message says enough. */
function isPending(value: unknown): value is PendingMessage {
  const message = asObject(value);
  return typeof message?.['number'] === 'number' && Array.isArray(message['steps']);
}
