import { eventually } from '@switchboard/testing/eventually';
import { request } from 'undici';
import type { TakenStatus, UpstreamRequest } from './ledgers.js';

/** What the simulator has to do still. */
export interface UpstreamWork {
  readonly requests: number;
  readonly open: number;
  readonly callbacks: number;
}

/** A request to send, as the simulator saw it. */
export interface Arrival {
  /** The id of our message. */
  readonly reference: string | null;
  /** E.164. */
  readonly to: string;
  /** By the machine's clock. */
  readonly arrivedMs: number;
}

interface Page {
  readonly items: readonly {
    readonly reference: string | null;
    readonly outcome: UpstreamRequest['outcome'];
    readonly answer: { readonly body: { readonly error?: { readonly code?: number } } | null } | null;
    readonly messageId: string | null;
    readonly to: string;
    readonly arrivedAt: string;
  }[];
  readonly nextCursor?: string;
}

const PAGE_MAX = 1_000;
const DEADLINE_MS = 10_000;

/** The simulator's control surface: its knobs and its own log. */
export class SimulatorControl {
  private wanted: Record<string, unknown> = {};
  private readonly taken = new Map<string, Set<string>>();
  private takenCursor = '0';

  constructor(private readonly url: string) {}

  /** Turns knobs, on top of those turned before. */
  async turn(knobs: Readonly<Record<string, unknown>>): Promise<void> {
    this.wanted = { ...this.wanted, ...knobs };
    await this.ask('PUT', 'knobs', this.wanted);
  }

  /** Turns the knobs as they were before the simulator was started again. */
  async restore(): Promise<void> {
    await eventually(() => this.ask('PUT', 'knobs', this.wanted).then(() => true), { deadlineMs: DEADLINE_MS });
  }

  /** The default of all knobs. */
  async reset(): Promise<void> {
    this.wanted = {};
    await this.ask('PUT', 'knobs/reset', {});
  }

  /** Requests to send that are open at this moment. */
  async openRequests(): Promise<number> {
    return ((await this.ask('GET', 'requests/open')) as { open: number }).open;
  }

  async work(): Promise<UpstreamWork> {
    const health = (await this.ask('GET', 'health')) as {
      requests: number;
      open: number;
      callbacks: Record<string, number>;
    };
    const callbacks = Object.values(health.callbacks).reduce((sum, count) => sum + count, 0);
    return { requests: health.requests, open: health.open, callbacks };
  }

  /** Its log from the request with that number on, in the order of arrival. */
  async requestsFrom(first: number): Promise<UpstreamRequest[]> {
    return (await this.logFrom(first)).map(({ reference, outcome, answer, messageId }) => {
      return { reference, outcome, refusedWith: answer?.body?.error?.code ?? null, messageId };
    });
  }

  /** Every request of its log, in the order of arrival. */
  async arrivals(): Promise<Arrival[]> {
    return (await this.logFrom(0)).map(({ reference, to, arrivedAt }) => {
      return { reference, to: `+${to}`, arrivedMs: Date.parse(arrivedAt) };
    });
  }

  /** By the upstream's id of a message: which statuses were answered 200, since its very beginning. */
  async takenStatuses(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
    for (let isEnd = false; !isEnd;) {
      const path = `statuses?cursor=${this.takenCursor}`;
      const { items, nextCursor } = (await this.ask('GET', path)) as { items: TakenStatus[]; nextCursor: string };
      for (const { id, status } of items) {
        const known = this.taken.get(id);
        if (known) known.add(status);
        else this.taken.set(id, new Set([status]));
      }
      this.takenCursor = nextCursor;
      isEnd = items.length === 0;
    }
    return this.taken;
  }

  /**
   * Has the simulator send a contact's message; what is not taken at once is sent again until it is, or until the simulator dies.
   *
   * @returns whether the gateway has taken it
   * @throws when the simulator does not answer: then it may have been sent, or not
   */
  async sendInbound(message: Readonly<Record<string, unknown>>): Promise<boolean> {
    return ((await this.ask('POST', 'inbound', message)) as { delivered: number | null }).delivered === 200;
  }

  private async logFrom(first: number): Promise<Page['items'][number][]> {
    const items: Page['items'][number][] = [];
    for (let cursor: string | undefined = String(first); cursor !== undefined;) {
      const page = (await this.ask('GET', `requests?limit=${PAGE_MAX}&cursor=${cursor}`)) as Page;
      for (const item of page.items) items.push(item);
      cursor = page.nextCursor;
    }
    return items;
  }

  private async ask(method: 'GET' | 'PUT' | 'POST', path: string, body?: unknown): Promise<unknown> {
    const { statusCode, body: answer } = await request(`${this.url}/_sim/${path}`, {
      method,
      headersTimeout: DEADLINE_MS,
      bodyTimeout: DEADLINE_MS,
      ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (statusCode !== 200) throw new Error(`/_sim/${path}: ${statusCode} ${text}`);
    return JSON.parse(text);
  }
}
