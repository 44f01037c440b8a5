import { setTimeout as wait } from 'node:timers/promises';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { Customers } from './customers.js';
import { latenciesOf, lineOf, publishPaced, SteadyWork, type Latencies, type OneReceiver } from './paced.js';
import type { Receiver } from './receiver.js';

/** A healthy receiver next to one under load that answers, and then no more. */
export interface TurningRow extends Latencies {
  /** The healthy one in the same rounds, as long as the other one answered. */
  readonly before: Latencies;
  /** Requests that the other one got since, the most of a round. */
  readonly requests: number;
  /** Events that were published for it since, in that round. */
  readonly published: number;
  /** How long that was watched. */
  readonly watchedMs: number;
}

/** Events a second for the one that turns. */
const PER_SECOND = 100;
/** A webhook that answers has its whole window by then: it doubles by each 2xx. */
const WARM_MS = 1_000;
/** A request that hangs ends after ten seconds: only then is anything known, and begins what follows from it. */
const WATCHED_MS_MIN = 15_000;
/** 64 under way when it turns, the first of whose ends counts; then one probe at a time until ten have failed in a row. */
const REQUESTS_MAX = 64 + 9;

/** A receiver that has been good turns in the middle of its load: what others pay for it, and what it still gets. */
export class Turning {
  constructor(
    private readonly customers: Customers,
    private readonly healthy: OneReceiver,
    private readonly receiver: Receiver,
  ) {}

  async row(options: { readonly rounds: number; readonly roundMs: number }): Promise<TurningRow> {
    const watchedMs = Math.max(options.roundMs, WATCHED_MS_MIN);
    const [before, since]: [number[], number[]] = [[], []];
    let [requests, published] = [0, 0];
    for (let round = 0; round < options.rounds; round++) {
      const path = `/turning-${round}`;
      const webhook = await this.customers.register(newCuid(), this.receiver.url + path);
      const load = new SteadyWork(1_000 / PER_SECOND, () => this.customers.publish(webhook.organizationId));
      await wait(WARM_MS);
      before.push(...(await this.paced(watchedMs)));
      await this.receiver.newRequests(path);
      this.receiver.turn(path);
      const publishedBefore = load.done;
      since.push(...(await this.paced(watchedMs)));
      const got = (await this.receiver.newRequests(path)).length;
      if (got >= requests) [requests, published] = [got, load.done - publishedBefore];
      await load.stop();
      await this.customers.remove(webhook);
    }
    return { ...latenciesOf(since), before: latenciesOf(before), requests, published, watchedMs };
  }

  private paced(lengthMs: number): Promise<readonly number[]> {
    return publishPaced(this.customers, this.healthy, this.receiver, lengthMs);
  }
}

/** The row as lines of a table. */
export function linesOfTurning(row: TurningRow): string[] {
  const seconds = (row.watchedMs / 1_000).toFixed(0);
  return [
    `| a healthy one while one with ${PER_SECOND}/s turns and hangs | ${lineOf(row)}, ${row.late} of ${row.events} late | ` +
      `before it turned ${lineOf(row.before)} | p99 ${(row.p99Ms / row.before.p99Ms).toFixed(2)} | ≤ 1.5, 0 late |`,
    `| requests to it in ${seconds} s since it hangs | ${row.requests} | ${row.published} events | ` +
      `${(row.requests / row.published).toFixed(2)} | ≤ ${REQUESTS_MAX} |`,
  ];
}
