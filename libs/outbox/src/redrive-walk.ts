import type { DeliveredEvent } from '@switchboard/nats';
import type { Queryable } from '@switchboard/postgres';
import { markedLetters } from './dead-letter.js';

const PAGE_MAX = 50;
/** After a page of which nothing could be tried: its letters belong to lines that are left alone. */
const NEXT_PAGE_MS = 50;

/**
 * Walks through the marked letters of a consumer, a page a round: those that keep their mark, because their line is locked, hold up
 * none behind them, and come again in the next walk.
 */
export class RedriveWalk {
  private after = '';
  private hasSettled = false;

  constructor(
    private readonly through: Queryable,
    private readonly consumer: string,
  ) {}

  /**
   * @param redrive tries letters again and answers how many marks are gone; when it throws the next round begins with them
   * @returns whether to go on at once, or after so many milliseconds; false at the end of a walk in which no mark went away
   */
  async round(redrive: (letters: readonly DeliveredEvent[]) => Promise<number>): Promise<boolean | number> {
    const letters = await markedLetters(this.through, this.consumer, PAGE_MAX, this.after);
    const settled = letters.length > 0 ? await redrive(letters) : 0;
    this.hasSettled ||= settled > 0;
    const last = letters.at(-1);
    if (last && letters.length === PAGE_MAX) {
      this.after = last.envelope.id;
      return settled > 0 || NEXT_PAGE_MS;
    }
    const { hasSettled } = this;
    this.after = '';
    this.hasSettled = false;
    return hasSettled;
  }
}
