import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { Customers, RegisteredWebhook } from './customers.js';
import { latenciesOf, latenciesMsOf, lineOf, publishOne, type Latencies, type OneReceiver } from './paced.js';
import { median } from '../percentile.js';
import type { Receiver } from './receiver.js';

/** An event for each of many healthy webhooks of as many organizations, all at one moment. */
export interface SpreadRow {
  readonly webhooks: number;
  /** Their first event ever. */
  readonly first: Burst;
  /** One more, once each of them has answered. */
  readonly next: Burst;
  /** As many events to one webhook. */
  readonly toOne: Burst;
  /** The same signed requests a second by a loop over undici alone. */
  readonly barePerSecond: number;
}

/** Events that were published at one moment. */
export interface Burst extends Latencies {
  /** From the first publication to the last arrival; 0 where one was late. */
  readonly perSecond: number;
}

/** Requests of the loop for each event: hundreds are over before it has its connections. */
const BARE_FACTOR = 10;
/** Registrations under way at once. */
const SLICE = 20;

/** Many webhooks of one event each, in place of one of many events: nothing of one is of use to another. */
export class Spread {
  constructor(
    private readonly customers: Customers,
    private readonly receiver: Receiver,
    /** A webhook that has taken thousands of events. */
    private readonly one: OneReceiver,
    private readonly bareLoop: (requests: number) => Promise<number>,
  ) {}

  /** Bursts by turns with those of one webhook and with the bare loop; rates are medians, latencies those of all rounds. */
  async row(options: { readonly webhooks: number; readonly rounds: number }): Promise<SpreadRow> {
    const [first, next, toOne]: [number[][], number[][], number[][]] = [[], [], []];
    const bare: number[] = [];
    for (let round = 0; round < options.rounds; round++) {
      bare.push(await this.bareLoop(options.webhooks * BARE_FACTOR));
      const path = `/spread-${round}`;
      const organizations = Array.from({ length: options.webhooks }, newCuid);
      const webhooks = await this.register(organizations, this.receiver.url + path);
      first.push(await this.burst(organizations, path));
      toOne.push(
        await this.burst(
          Array.from(organizations, () => this.one.organizationId),
          this.one.path,
        ),
      );
      next.push(await this.burst(organizations, path));
      await inSlices(webhooks, (webhook) => this.customers.remove(webhook));
    }
    const barePerSecond = median(bare);
    return {
      webhooks: options.webhooks,
      first: burstOf(first),
      next: burstOf(next),
      toOne: burstOf(toOne),
      barePerSecond,
    };
  }

  private register(organizations: readonly string[], url: string): Promise<readonly RegisteredWebhook[]> {
    return inSlices(organizations, (organizationId) => this.customers.register(organizationId, url));
  }

  private async burst(organizations: readonly string[], path: string): Promise<number[]> {
    const asked = await Promise.all(organizations.map((id) => publishOne(this.customers, id)));
    return [...(await latenciesMsOf(asked, this.receiver, path))];
  }
}

async function inSlices<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < items.length; from += SLICE) {
    results.push(...(await Promise.all(items.slice(from, from + SLICE).map(work))));
  }
  return results;
}

/** All are begun within a millisecond or two: the longest latency is the time of the whole. */
function burstOf(rounds: readonly (readonly number[])[]): Burst {
  const rates = rounds.map((latenciesMs) => (latenciesMs.length / Math.max(...latenciesMs)) * 1_000);
  return { ...latenciesOf(rounds.flat()), perSecond: median(rates) };
}

/** The row as lines of a table. */
export function linesOfSpread({ webhooks, first, next, toOne, barePerSecond }: SpreadRow): string[] {
  const cell = (burst: Burst): string => `${burst.perSecond.toFixed(0)}/s, ${lineOf(burst)}`;
  const against = `to one webhook ${cell(toOne)}; bare loop ${barePerSecond.toFixed(0)}/s`;
  const line = (what: string, burst: Burst): string => {
    const ratios = [burst.perSecond / toOne.perSecond, burst.perSecond / barePerSecond];
    const late = `${burst.late} of ${burst.events} late`;
    const shown = ratios.map((ratio) => ratio.toFixed(2)).join('; ');
    return `| ${what} of ${webhooks} webhooks at one moment | ${cell(burst)}, ${late} | ${against} | ${shown} | 0 late |`;
  };
  return [line('the first event of each', first), line('the next event of each', next)];
}
