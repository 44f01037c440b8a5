import { badAnswers } from './bad-answers.js';
import type { Customers } from './customers.js';
import { RunningFlood, type Flood } from './flood.js';
import { latenciesOf, lineOf, publishPaced, type Latencies, type OneReceiver } from './paced.js';
import type { Receiver } from './receiver.js';

/** A healthy receiver next to others that are not. */
export interface BadRow extends Latencies, NamedFlood {
  /** The same receiver by itself, in rounds between. */
  readonly alone: Latencies;
}

interface NamedFlood extends Flood {
  readonly receivers: string;
}

/** A hundred receivers that never answer. */
export const HANGING = [{ kind: 'hanging', organizations: 5 }];
const MISBEHAVING = [...HANGING, ...Object.keys(badAnswers).map((kind) => ({ kind, organizations: 4 }))];
const FLOODS: readonly NamedFlood[] = [
  { receivers: '100 hang', kinds: HANGING, perSecondEach: 1, areAtOnce: false },
  { receivers: '100 hang', kinds: HANGING, perSecondEach: 10, areAtOnce: false },
  { receivers: '500 misbehave', kinds: MISBEHAVING, perSecondEach: 1, areAtOnce: false },
  { receivers: '500 misbehave', kinds: MISBEHAVING, perSecondEach: 1, areAtOnce: true },
];

/** A healthy receiver alone and next to others that misbehave, by turns: the machine is another one from minute to minute. */
export class Isolation {
  constructor(
    private readonly customers: Customers,
    private readonly healthy: OneReceiver,
    private readonly receiver: Receiver,
    private readonly misbehavingUrl: string,
  ) {}

  /** Each row is of all of its rounds together: of one alone, the p99 is its second worst event or so. */
  async rows(options: {
    readonly rounds: number;
    readonly roundMs: number;
    readonly onRow: (row: BadRow) => void;
  }): Promise<readonly BadRow[]> {
    const rows: BadRow[] = [];
    for (const flood of FLOODS) {
      const [alone, meanwhile]: [number[], number[]] = [[], []];
      for (let round = 0; round < options.rounds; round++) {
        alone.push(...(await this.paced(options.roundMs)));
        // New ones in each round: some are deactivated by the end of it.
        const running = await RunningFlood.begin(this.customers, this.misbehavingUrl, flood);
        meanwhile.push(...(await this.paced(options.roundMs)));
        await running.stop();
        await running.remove();
      }
      const row = { ...latenciesOf(meanwhile), alone: latenciesOf(alone), ...flood };
      options.onRow(row);
      rows.push(row);
    }
    return rows;
  }

  private paced(lengthMs: number): Promise<readonly number[]> {
    return publishPaced(this.customers, this.healthy, this.receiver, lengthMs);
  }
}

/** What a row is about. */
function nameOf({ receivers, perSecondEach, areAtOnce }: NamedFlood): string {
  return `${receivers}, ${perSecondEach}/s each${areAtOnce ? ', all at one moment' : ''}`;
}

/** The rows as lines of a table. */
export function linesOfIsolation(rows: readonly BadRow[]): string[] {
  return rows.map(
    (row) =>
      `| a healthy one while ${nameOf(row)} | ${lineOf(row)}, ${row.late} of ${row.events} late | ` +
      `alone ${lineOf(row.alone)} | p99 ${(row.p99Ms / row.alone.p99Ms).toFixed(2)} | ≤ 1.5, 0 late |`,
  );
}
