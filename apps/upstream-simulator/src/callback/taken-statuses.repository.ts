import type { AppendFile } from '../append-file/append-file.js';
import type { WriteGroup } from '../append-file/write-group.js';

/** A status of an accepted message that the receiver answered 200. */
export interface TakenStatus {
  /** The provider's id of the message. */
  readonly id: string;
  readonly status: string;
}

const PAGE_BYTES = 1 << 20;

/**
 * Which statuses the receiver has taken, in that order, repetitions included: none of them may be lost later. A line each,
 * in a file that survives restarts.
 *
 * It must join its write group before the journal of pending callbacks does: a kill between the two writes then has the
 * status reported and recorded again, and never leaves a message done without a record of its statuses.
 */
export class TakenStatuses {
  constructor(
    private readonly file: AppendFile,
    private readonly group: WriteGroup,
  ) {
    group.add(file);
  }

  /** Records what one callback brought, when it was answered 200. */
  add(statuses: readonly TakenStatus[]): void {
    if (statuses.length === 0) return;
    for (const { id, status } of statuses) this.file.append(`${id} ${status}`);
    this.group.touch();
  }

  /**
   * @param cursor 0, or `nextCursor` of the page before; a position in the file, which stays good over restarts
   * @returns about a megabyte from there on; no items at the end
   */
  page(cursor: number): { readonly items: readonly TakenStatus[]; readonly nextCursor: string } {
    const bytes = Math.min(this.file.size - cursor, PAGE_BYTES);
    // Ids and statuses are ASCII: a character is a byte.
    const text = bytes > 0 ? this.file.read({ offset: cursor, bytes }) : '';
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    const items = whole.split('\n').slice(0, -1).map(statusOf);
    return { items, nextCursor: String(cursor + whole.length) };
  }

  /** Forgets all of it. */
  clear(): void {
    this.file.clear();
  }
}

function statusOf(line: string): TakenStatus {
  const [id = '', status = ''] = line.split(' ');
  return { id, status };
}
