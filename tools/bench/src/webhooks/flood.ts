import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { Customers, RegisteredWebhook } from './customers.js';
import { SteadyWork } from './paced.js';

/** Events to receivers that misbehave. */
export interface Flood {
  /** Kinds of misbehaviour, and how many organizations of each have such receivers. */
  readonly kinds: readonly { readonly kind: string; readonly organizations: number }[];
  /** Events a second to each of them. */
  readonly perSecondEach: number;
  /** Organizations do not know of each other, and an event of each comes at its own time; or all of them at one moment. */
  readonly areAtOnce: boolean;
  /** Receivers of each organization; as many as it may have by default. */
  readonly ofOne?: number;
}

/** Webhooks of one organization at most. */
const OF_ONE = 20;

/** Receivers that misbehave, by organizations, while events go to them. */
export class RunningFlood {
  private readonly events: SteadyWork;

  private constructor(
    private readonly customers: Customers,
    { perSecondEach, areAtOnce }: Flood,
    private readonly registered: ReadonlyMap<string, readonly RegisteredWebhook[]>,
  ) {
    const { organizations } = this;
    const parts = areAtOnce ? [organizations] : organizations.map((organizationId) => [organizationId]);
    this.events = new SteadyWork(1_000 / perSecondEach / parts.length, (step) => {
      const part = parts[step % parts.length] ?? [];
      return Promise.all(part.map((organizationId) => customers.publish(organizationId)));
    });
  }

  /** Registers webhooks of new organizations, each of whose events goes to all of its own, and begins to publish. */
  static async begin(customers: Customers, misbehavingUrl: string, flood: Flood): Promise<RunningFlood> {
    const registered = new Map<string, readonly RegisteredWebhook[]>();
    for (const { kind, organizations } of flood.kinds) {
      for (let count = 0; count < organizations; count++) {
        const organizationId = newCuid();
        const webhooks: RegisteredWebhook[] = [];
        for (let webhook = 0; webhook < (flood.ofOne ?? OF_ONE); webhook++) {
          const url = `${misbehavingUrl}/${kind}/${organizationId}-${webhook}`;
          webhooks.push(await customers.register(organizationId, url));
        }
        registered.set(organizationId, webhooks);
      }
    }
    return new RunningFlood(customers, flood, registered);
  }

  get organizations(): readonly string[] {
    return [...this.registered.keys()];
  }

  /** Ends the events. */
  async stop(): Promise<void> {
    await this.events.stop();
  }

  /** Deletes the webhooks: what is still to be repeated to them is not the load of what is measured next. */
  async remove(): Promise<void> {
    for (const webhook of [...this.registered.values()].flat()) await this.customers.remove(webhook);
  }
}
