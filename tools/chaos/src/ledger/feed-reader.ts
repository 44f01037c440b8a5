import { setTimeout as wait } from 'node:timers/promises';
import type { ReadEvent } from '../audit/feed-rules.policy.js';
import { Balancer } from '../load/balancer.js';
import type { Sender } from '../load/send-plan.js';
import type { Stage } from '../stage/stage.js';
import { conversationOf, type EventBody } from './event-body.js';

const LIMIT = 100;
const PAUSE_MS = 50;

/**
 * An integrator of each organization who reads `GET /v1/events` from cursor to cursor, whatever dies meanwhile. Requests are counted, and
 * the counts are events: nothing comes to rest while it reads.
 */
export class FeedReader {
  private readonly events: ReadEvent[] = [];
  private readonly balancer: Balancer;
  private readonly reading: Promise<unknown>;
  private reads = Promise.withResolvers<void>();
  private stopAtMs = Infinity;
  private isEnding = false;
  private failures = 0;

  constructor(stage: Stage) {
    const { baseUrl = '' } = stage.stack.devJson;
    this.balancer = new Balancer([baseUrl], stage.senders.length);
    this.reading = Promise.all(stage.senders.map((sender) => this.read(sender)));
    // It is awaited at the end.
    this.reading.catch(() => undefined);
  }

  /** Reads until it is paused. */
  resume(): void {
    this.reads.resolve();
  }

  pause(): void {
    this.reads = Promise.withResolvers();
  }

  /** Reads on until there is no more of any organization. @returns all that was read, and how many requests failed */
  async end(deadlineMs: number): Promise<{ readonly read: readonly ReadEvent[]; readonly failures: number }> {
    this.stopAtMs = Date.now() + deadlineMs;
    this.isEnding = true;
    this.resume();
    await this.reading;
    return { read: this.events, failures: this.failures };
  }

  /** Gives up what is not read yet. Repeatable. */
  async stop(): Promise<void> {
    this.stopAtMs = 0;
    this.resume();
    await this.reading.catch(() => undefined);
    await this.balancer.close();
  }

  private async read({ apiKey }: Sender): Promise<void> {
    for (let cursor: string | null = null; Date.now() < this.stopAtMs;) {
      await this.reads.promise;
      const isLast = this.isEnding;
      const page = await this.page(apiKey, cursor);
      if (page === null) this.failures++;
      else {
        for (const item of page.items) this.events.push({ ...conversationOf(item), body: JSON.stringify(item) });
        cursor = page.nextCursor;
        if (isLast && page.items.length === 0) return;
        if (page.items.length === LIMIT) continue;
      }
      await wait(PAUSE_MS);
    }
  }

  /** Null for what is no answer, or no 200: it is asked for again. */
  private async page(apiKey: string, cursor: string | null): Promise<Page | null> {
    const path = `/v1/events?limit=${LIMIT}${cursor === null ? '' : `&cursor=${cursor}`}`;
    const answer = await this.balancer.ask('GET', path, { authorization: `Bearer ${apiKey}` }).catch(() => null);
    return answer?.status === 200 ? (JSON.parse(answer.text) as Page) : null;
  }
}

interface Page {
  readonly items: readonly EventBody[];
  readonly nextCursor: string;
}
