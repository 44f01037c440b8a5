import type { FirstPlaces, PendingDeliveries, PendingDelivery } from '../delivery/delivery.entity.js';

/** First attempts that a reading looks at behind those that wait for their lines. */
const LOOK_MAX = 4_096;
/** Of those, what is kept of one line. */
const OF_LINE_MAX = 16;

/**
 * First attempts of a webhook: those that are known to wait, in their order, and the lines that have one under way.
 *
 * A reading takes the first ones. While all of these wait for their lines it goes on where the last one has ended, and keeps few of each line, so
 * that neither a long backlog of one conversation is read twice, nor what is behind it waits for it.
 */
export class FirstAttempts {
  private waiting: PendingDelivery[] = [];
  /** How many are under way, by line. */
  private readonly underWay = new Map<string, number>();
  /** Lines of which more wait than are known, behind those that are. */
  private readonly cut = new Set<string>();
  /** Up to there all are known, but for those of lines that are cut. */
  private lookedTo: FirstPlaces = { firsts: 0, replays: 0 };
  private hasMore = false;
  private isReadingOn = false;

  get count(): number {
    return this.waiting.length;
  }

  /** The first in order whose line has none under way, nor an earlier one waiting. */
  get next(): PendingDelivery | null {
    return this.waiting.find((delivery) => delivery.line === '' || !this.underWay.has(lineOf(delivery))) ?? null;
  }

  /** New events are among them: replayed ones come behind those. */
  get hasNew(): boolean {
    return this.waiting.length > 0 && this.waiting[0]?.kind !== 'REPLAY';
  }

  /** None of those that are known may begin, and there may be others behind them. */
  get mustReadOn(): boolean {
    return this.hasMore && this.next === null;
  }

  /** To be called before they are read. @param isWhole from their beginning, whatever is known */
  beginReading({ isWhole }: { readonly isWhole: boolean }): void {
    const allWait = this.waiting.length > 0 && this.next === null;
    this.isReadingOn = !isWhole && (this.isReadingOn || allWait);
  }

  /** Where a reading begins that goes on; null: at their beginning. */
  get readFrom(): FirstPlaces | null {
    return this.isReadingOn ? this.lookedTo : null;
  }

  /** How many a reading looks at, and takes of each line. @param readMax how many it takes */
  looks(readMax: number): { readonly lookMax: number; readonly ofLineMax: number } {
    if (!this.isReadingOn) return { lookMax: readMax, ofLineMax: readMax };
    // One more shows that the line is cut.
    return { lookMax: LOOK_MAX, ofLineMax: OF_LINE_MAX + 1 };
  }

  /** Takes what was read: in place of all that was known, unless the reading went on. @param from where it began */
  refill({ firsts, moreFirsts, lookedTo, marked }: PendingDeliveries, from: FirstPlaces): void {
    if (!this.isReadingOn) {
      this.waiting = [];
      this.cut.clear();
    }
    this.add(firsts);
    this.hasMore = moreFirsts;
    const to = { firsts: lookedTo?.firsts ?? from.firsts, replays: lookedTo?.replays ?? from.replays };
    const isStuck = this.isReadingOn && moreFirsts && to.firsts === from.firsts && to.replays === from.replays;
    // More replays of one event than a reading looks at: its line is cut there.
    this.lookedTo = isStuck ? { firsts: to.firsts + 1, replays: to.replays + 1 } : to;
    this.underWay.clear();
    for (const { delivery } of marked) this.mark(delivery);
  }

  /** One of those that wait begins. */
  begin(delivery: PendingDelivery): void {
    this.waiting.splice(this.waiting.indexOf(delivery), 1);
    this.mark(delivery);
  }

  /** One that was under way has ended. @returns whether more of its line wait, and none of these is known */
  ended(delivery: PendingDelivery): boolean {
    const line = lineOf(delivery);
    const left = (this.underWay.get(line) ?? 0) - 1;
    if (left > 0) this.underWay.set(line, left);
    else this.underWay.delete(line);
    return this.cut.has(line) && !this.waiting.some((one) => lineOf(one) === line);
  }

  private add(firsts: readonly PendingDelivery[]): void {
    const known = new Set(this.waiting.map(({ id }) => id));
    const counts = new Map([...Map.groupBy(this.waiting, lineOf)].map(([line, { length }]) => [line, length]));
    for (const delivery of firsts) {
      if (known.has(delivery.id)) continue;
      const line = lineOf(delivery);
      const count = counts.get(line) ?? 0;
      if (this.isReadingOn && line !== '' && (count >= OF_LINE_MAX || this.cut.has(line))) this.cut.add(line);
      else {
        this.waiting.push(delivery);
        counts.set(line, count + 1);
      }
    }
    this.waiting.sort(byOrder);
  }

  private mark(delivery: PendingDelivery): void {
    const line = lineOf(delivery);
    if (delivery.tries === 0) this.underWay.set(line, (this.underWay.get(line) ?? 0) + 1);
  }
}

/** Whether one comes before the other: new events before replayed ones, the oldest first. */
export function isBefore(one: PendingDelivery, other: PendingDelivery): boolean {
  return byOrder(one, other) < 0;
}

function byOrder(one: PendingDelivery, other: PendingDelivery): number {
  const isReplay = one.kind === 'REPLAY';
  if (isReplay !== (other.kind === 'REPLAY')) return isReplay ? 1 : -1;
  return one.position - other.position;
}

/** What is sent again keeps an order of its own: it never holds up what is new. */
function lineOf({ line, kind }: PendingDelivery): string {
  return line === '' ? '' : `${kind} ${line}`;
}
