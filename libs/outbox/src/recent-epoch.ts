import type { Queryable } from '@switchboard/postgres';
import { consumerEpoch } from './incarnation-ledger.js';

/** After a restore a replica may pull from the former durable for so long, and a pull: what it takes comes again from the next one. */
const KEPT_MS = 5_000;

/** The epoch of a service's consumers as it was a few seconds ago: they ask before every pull, one read answers all of them. */
export class RecentEpoch {
  private reading: { readonly epoch: Promise<number>; readonly atMs: number } | undefined;

  constructor(
    private readonly through: Queryable,
    private readonly keptMs = KEPT_MS,
  ) {}

  /**
   * @param isDoubted asks anew: a pull has failed, perhaps because its durable is gone
   * @throws what the database answers; the next asks again
   */
  async read(isDoubted = false): Promise<number> {
    const nowMs = performance.now();
    if (!isDoubted && this.reading && nowMs - this.reading.atMs < this.keptMs) return this.reading.epoch;
    const reading = { epoch: consumerEpoch(this.through), atMs: nowMs };
    this.reading = reading;
    try {
      return await reading.epoch;
    } catch (error) {
      if (this.reading === reading) this.reading = undefined;
      throw error;
    }
  }
}
