import type { Queryable } from '@switchboard/postgres';
import { RecentMap } from '@switchboard/timing';
import { positionBefore } from './feed.repository.js';

/** Organizations at most whose place is kept: some hundred bytes each. */
const KEPT_MAX = 10_000;

interface Beginning {
  readonly fromMs: number;
  readonly position: number;
}

/**
 * Where feeds begin from a time on, with the place that was found last for each organization: events never move, so that none up to it
 * occurred at a later time either. A reader that gives a time with each request has what is new since looked at, in place of an hour.
 */
export class FeedBeginnings {
  private readonly found = new RecentMap<string, Beginning>(KEPT_MAX);

  /** As `positionBefore`. */
  async positionBefore(on: Queryable, organizationId: string, from: Date): Promise<number> {
    const fromMs = from.getTime();
    const known = this.found.get(organizationId);
    const floor = known !== undefined && known.fromMs <= fromMs ? known.position : 0;
    const position = await positionBefore(on, organizationId, from, floor);
    this.found.set(organizationId, { fromMs, position });
    return position;
  }
}
