import type { RunningStack, SeededOrganization } from '@switchboard/dev';
import type pg from 'pg';
import { liftRateLimit } from '../lift-rate-limit.js';
import { runLoad } from '../load.js';
import { silenceCallbacks } from '../silence-callbacks.js';
import type { Customers } from './customers.js';
import { arrivalsOf, now, pacedSteps } from './paced.js';
import type { Receiver } from './receiver.js';

/** Sends at once. */
const CONNECTIONS = 32;
const PATH = '/v1/messages';
const RECIPIENTS = 500;
/** New recipients are learnt meanwhile, and statements prepared. */
const WARM_MS = 3_000;

/** How fast sends were answered, and their events arrived. */
interface SentAtOnce {
  readonly sentPerSecond: number;
  readonly arrivedPerSecond: number;
  /** From the last answer to the last arrival. */
  readonly behindMs: number;
}

/** Messages that the first organization sends by the API, and the arrival of `message.sent` of each. */
export class Sends {
  private sent = 0;

  constructor(
    private readonly running: { readonly stack: RunningStack; readonly client: pg.Client },
    private readonly customers: Customers,
    private readonly receiver: Receiver,
  ) {}

  /**
   * Sends one message in each step. Their events are committed right before they are answered: so what
   * is measured is commit, relay, broker, fan-out and request together.
   *
   * @returns the time from each answer to the arrival of its event in milliseconds, by their order
   * @throws Error when one does not arrive in time: which one is not known
   */
  async light(lengthMs: number): Promise<readonly number[]> {
    await this.withWebhook('/warm-by-api', (path) => this.paced(path, WARM_MS));
    return this.withWebhook('/light-by-api', (path) => this.paced(path, lengthMs));
  }

  /**
   * Sends on each connection the next message as soon as one is answered. From then on the simulator sends no callbacks.
   *
   * @returns rows of a table
   * @throws Error when a send fails, or an event does not arrive in time
   */
  async many(lengthMs: number): Promise<string[]> {
    const { client, stack } = this.running;
    await liftRateLimit(client, this.sender.organization.id);
    await silenceCallbacks(stack);
    await this.withWebhook('/warm-sends', (path) => this.atOnce(path, WARM_MS));
    const { sentPerSecond, arrivedPerSecond, behindMs } = await this.withWebhook('/sends', (path) =>
      this.atOnce(path, lengthMs),
    );
    const arrived = `${arrivedPerSecond.toFixed(0)}/s, the last ${behindMs.toFixed(0)} ms behind the last answer`;
    const ratio = (arrivedPerSecond / sentPerSecond).toFixed(2);
    const what = `sends by the API at ${CONNECTIONS} connections → arrival`;
    return [`| ${what} | ${arrived} | answered ${sentPerSecond.toFixed(0)}/s | ${ratio} | |`];
  }

  private async paced(path: string, lengthMs: number): Promise<readonly number[]> {
    const answeredMs: number[] = [];
    for await (const _step of pacedSteps(lengthMs)) {
      const answer = await fetch(this.sender.baseUrl + PATH, { method: 'POST', ...this.next() });
      answeredMs.push(now());
      if (!answer.ok) throw new Error(`a send was answered ${answer.status}: ${await answer.text()}`);
      await answer.text();
    }
    const arrivedMs = await this.arrivals(path, answeredMs.length);
    return answeredMs.map((atMs, index) => (arrivedMs[index] ?? Infinity) - atMs);
  }

  private async atOnce(path: string, durationMs: number): Promise<SentAtOnce> {
    const startedMs = now();
    const next = () => ({ path: PATH, ...this.next() });
    const load = await runLoad({ url: this.sender.baseUrl, connections: CONNECTIONS, durationMs, next });
    const answeredMs = now();
    const lastMs = (await this.arrivals(path, load.requests)).at(-1) ?? Infinity;
    const arrivedPerSecond = (load.requests / (lastMs - startedMs)) * 1_000;
    return { sentPerSecond: load.perSecond, arrivedPerSecond, behindMs: lastMs - answeredMs };
  }

  /** In their order. @throws Error when there are not so many in time */
  private async arrivals(path: string, count: number): Promise<readonly number[]> {
    const arrived = await arrivalsOf(this.receiver, path, ({ size }) => size >= count);
    if (arrived.size !== count) throw new Error(`of ${count} sends ${arrived.size} events arrived`);
    return [...arrived.values()].sort((one, other) => one - other);
  }

  private async withWebhook<Result>(path: string, send: (path: string) => Promise<Result>): Promise<Result> {
    const { customers, receiver, sender } = this;
    const webhook = await customers.register(sender.organization.id, receiver.url + path, 'message.sent');
    const result = await send(path);
    await customers.remove(webhook);
    return result;
  }

  private next(): { readonly headers: Record<string, string>; readonly body: string } {
    const to = `+1415555${4_000 + (this.sent++ % RECIPIENTS)}`;
    const { apiKey } = this.sender.organization;
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    return { headers, body: JSON.stringify({ to, text: 'Your order has left the warehouse.' }) };
  }

  private get sender(): { readonly baseUrl: string; readonly organization: SeededOrganization } {
    const { baseUrl, organizations } = this.running.stack.devJson;
    const [organization] = organizations ?? [];
    if (!organization || baseUrl === undefined) throw new Error('the stack has no gateway or organization');
    return { baseUrl, organization };
  }
}
