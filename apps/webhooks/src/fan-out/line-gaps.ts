import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';

/**
 * An event waits so long for the one before it, from when that was first missed. What a reader that crashed had taken comes again
 * after 10 s, and what failed after up to 32 s; what is missing for longer is not on its way.
 */
export const PATIENCE_MS = 45_000;
/** What waits is tried every 5 s. A gap that was not looked at for longer says nothing: the database was away, or another replica read. */
const FORGOTTEN_MS = 20_000;
/** Lines that are remembered. More with a gap at once are a history of which parts are gone. */
const LINES_MAX = 1_000;

interface Gap {
  /** The last number before it. */
  readonly last: number;
  readonly sinceMs: number;
  /** When it was last looked at. */
  readonly seenMs: number;
}

/**
 * Since when the next event of a line is missing. In memory: another reader begins anew, and finds out by itself. With more gaps
 * than it remembers, an event counts as waiting since it occurred, so that a history without its beginning is not held up.
 */
export class LineGaps {
  /** The one that was not looked at for longest comes first. */
  private readonly gaps = new Map<string, Gap>();

  /** @param nowMs monotonic milliseconds */
  constructor(
    private readonly nowMs: () => number = () => performance.now(),
    private readonly linesMax = LINES_MAX,
  ) {}

  /** Notes that the event is ahead of its line. @returns for how long it still has to wait, at most; 0 when it has to no longer */
  restMs({ aggregateId, occurredAt }: EventEnvelope, last: number): number {
    const gap = this.noted(aggregateId, last);
    const waitedMs = gap ? this.nowMs() - gap.sinceMs : Date.now() - Date.parse(occurredAt);
    return Math.max(0, PATIENCE_MS - waitedMs);
  }

  /** Nothing is missing up to where the line is now: for the next gap the patience begins anew. */
  close(aggregateId: string): void {
    this.gaps.delete(aggregateId);
  }

  private noted(aggregateId: string, last: number): Gap | undefined {
    const seenMs = this.nowMs();
    this.forget(seenMs);
    const known = this.gaps.get(aggregateId);
    if (!known && this.gaps.size >= this.linesMax) return undefined;
    const gap = { last, sinceMs: known?.last === last ? known.sinceMs : seenMs, seenMs };
    this.gaps.delete(aggregateId);
    this.gaps.set(aggregateId, gap);
    return gap;
  }

  private forget(nowMs: number): void {
    for (const [line, { seenMs }] of this.gaps) {
      if (nowMs - seenMs <= FORGOTTEN_MS) return;
      this.gaps.delete(line);
    }
  }
}
