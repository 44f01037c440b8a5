import { setTimeout as wait } from 'node:timers/promises';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { Customers } from './customers.js';
import { RunningFlood, type Flood } from './flood.js';
import { HANGING } from './isolation.js';
import { latenciesOf, lineOf, publishPaced, type Latencies } from './paced.js';
import type { Receiver } from './receiver.js';

/** New webhooks of healthy receivers next to others that fail. */
export interface NewcomersRow extends NewcomerLatencies {
  readonly failing: string;
  /** New ones with nothing that fails, in rounds between. */
  readonly alone: NewcomerLatencies;
}

interface NewcomerLatencies {
  /** The first event of each, published within a tenth of a second after the answer to its registration. */
  readonly firsts: Latencies;
  /** All events. */
  readonly all: Latencies;
}

interface Failing {
  readonly failing: string;
  readonly flood: Flood;
  /** Whether the new ones belong to the organizations whose others fail. */
  readonly areOwn: boolean;
}

/** New webhooks of a round, one after the other. */
const OF_ROUND = 5;
const OFTEN = { kinds: HANGING, perSecondEach: 10, areAtOnce: false };
const KINDS: readonly Failing[] = [
  { failing: '100 of others hang', flood: OFTEN, areOwn: false },
  // With the new one they are as many as an organization may have.
  { failing: '19 of its own organization hang', flood: { ...OFTEN, ofOne: 19 }, areOwn: true },
];
/** A request that hangs ends after ten seconds: only then is it known of any that it fails. */
const FAILED_AFTER_MS = 12_000;

/** How soon a webhook that is registered now gets its first event, alone and next to many that are known to fail. */
export class Newcomers {
  private registered = 0;

  constructor(
    private readonly customers: Customers,
    private readonly receiver: Receiver,
    private readonly misbehavingUrl: string,
  ) {}

  async rows(options: {
    readonly rounds: number;
    readonly roundMs: number;
    readonly onRow: (row: NewcomersRow) => void;
  }): Promise<readonly NewcomersRow[]> {
    const rows: NewcomersRow[] = [];
    for (const { failing, flood, areOwn } of KINDS) {
      const [alone, meanwhile]: [number[][], number[][]] = [[], []];
      for (let round = 0; round < options.rounds; round++) {
        alone.push(...(await this.newcomers(options.roundMs, [])));
        const running = await RunningFlood.begin(this.customers, this.misbehavingUrl, flood);
        await wait(FAILED_AFTER_MS);
        meanwhile.push(...(await this.newcomers(options.roundMs, areOwn ? running.organizations : [])));
        await running.stop();
        await running.remove();
      }
      const row = { failing, ...newcomerLatenciesOf(meanwhile), alone: newcomerLatenciesOf(alone) };
      options.onRow(row);
      rows.push(row);
    }
    return rows;
  }

  /** Latencies of each new one. @param of organizations that they belong to in turn; new ones without it */
  private async newcomers(lengthMs: number, of: readonly string[]): Promise<number[][]> {
    const latenciesMs: number[][] = [];
    for (let count = 0; count < OF_ROUND; count++) {
      const path = `/newcomer-${++this.registered}`;
      const webhook = await this.customers.register(of[count] ?? newCuid(), this.receiver.url + path);
      const to = { path, ...webhook };
      latenciesMs.push([...(await publishPaced(this.customers, to, this.receiver, lengthMs / OF_ROUND))]);
      await this.customers.remove(webhook);
    }
    return latenciesMs;
  }
}

function newcomerLatenciesOf(latenciesMs: readonly (readonly number[])[]): NewcomerLatencies {
  return {
    firsts: latenciesOf(latenciesMs.flatMap(([first = Infinity]) => first)),
    all: latenciesOf(latenciesMs.flat()),
  };
}

/** The rows as lines of a table. */
export function linesOfNewcomers(rows: readonly NewcomersRow[]): string[] {
  return rows.flatMap(({ failing, firsts, all, alone }) => [
    `| the first event of a new one while ${failing} | ${lineOf(firsts)}, ${firsts.late} of ${firsts.events} late | ` +
      `alone ${lineOf(alone.firsts)} | p50 ${(firsts.p50Ms / alone.firsts.p50Ms).toFixed(2)} | 0 late |`,
    `| all events of a new one while ${failing} | ${lineOf(all)}, ${all.late} of ${all.events} late | ` +
      `alone ${lineOf(alone.all)} | p99 ${(all.p99Ms / alone.all.p99Ms).toFixed(2)} | ≤ 1.5, 0 late |`,
  ]);
}
