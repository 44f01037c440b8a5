import { setTimeout as wait } from 'node:timers/promises';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { badAnswers } from './bad-answers.js';
import type { Customers, RegisteredWebhook } from './customers.js';
import { latenciesOf, publishPaced, type Latencies, type OneReceiver } from './paced.js';
import type { Receiver } from './receiver.js';

/** A healthy receiver next to others that are not. */
export interface BadRow extends Latencies, Flood {
  /** The same receiver by itself, in rounds between. */
  readonly alone: Latencies;
}

/** Events to receivers that misbehave. */
interface Flood {
  readonly receivers: string;
  /** Kinds of misbehaviour, and how many organizations of each have 20 such receivers. */
  readonly kinds: readonly { readonly kind: string; readonly organizations: number }[];
  /** Events a second to each of them. */
  readonly perSecondEach: number;
  /** Organizations do not know of each other, and an event of each comes at its own time; or all of them at one moment. */
  readonly areAtOnce: boolean;
}

/** Webhooks of one organization at most. */
const OF_ONE = 20;
const HANGING = [{ kind: 'hanging', organizations: 5 }];
const MISBEHAVING = [...HANGING, ...Object.keys(badAnswers).map((kind) => ({ kind, organizations: 4 }))];
const FLOODS: readonly Flood[] = [
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
        const organizations = await this.register(flood);
        const stop = this.publish([...organizations.keys()], flood);
        meanwhile.push(...(await this.paced(options.roundMs)));
        await stop();
        // What is still to be repeated to them is not the load of the next round.
        for (const webhook of [...organizations.values()].flat()) await this.customers.remove(webhook);
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

  /** Organizations with as many webhooks as one may have: each of its events goes to all of them. */
  private async register({ kinds }: Flood): Promise<ReadonlyMap<string, readonly RegisteredWebhook[]>> {
    const registered = new Map<string, readonly RegisteredWebhook[]>();
    for (const { kind, organizations } of kinds) {
      for (let count = 0; count < organizations; count++) {
        const organizationId = newCuid();
        const webhooks: RegisteredWebhook[] = [];
        for (let webhook = 0; webhook < OF_ONE; webhook++) {
          const url = `${this.misbehavingUrl}/${kind}/${organizationId}-${webhook}`;
          webhooks.push(await this.customers.register(organizationId, url));
        }
        registered.set(organizationId, webhooks);
      }
    }
    return registered;
  }

  /** @returns ends it */
  private publish(organizations: readonly string[], { perSecondEach, areAtOnce }: Flood): () => Promise<void> {
    const stop = new AbortController();
    const parts = areAtOnce ? [organizations] : organizations.map((organizationId) => [organizationId]);
    const stepMs = 1_000 / perSecondEach / parts.length;
    const running = (async () => {
      const startedMs = performance.now();
      for (let turn = 0; !stop.signal.aborted; turn++) {
        const part = parts[turn % parts.length] ?? [];
        await Promise.all(part.map((organizationId) => this.customers.publish(organizationId)));
        await wait(Math.max(startedMs + (turn + 1) * stepMs - performance.now(), 0));
      }
    })();
    return async () => {
      stop.abort();
      await running;
    };
  }
}

/** What a row is about. */
export function nameOf({ receivers, perSecondEach, areAtOnce }: Flood): string {
  return `${receivers}, ${perSecondEach}/s each${areAtOnce ? ', all at one moment' : ''}`;
}
