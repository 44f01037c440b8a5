import { jest } from '@jest/globals';
import { ROOT_CONTEXT } from '@opentelemetry/api';
import type { DeliveredEvent, Disposition } from '@switchboard/nats';
import { type Database, type LockWaitMs, type Statement, USUAL_LOCK_WAIT_MS } from '@switchboard/postgres';
import type { BatchHandler } from '../src/apply-events.js';
import { handleBatch } from '../src/handle-batch.js';

/** What a transaction takes that waits for no lock. */
const COMMIT_MS = 5;
const BATCH_MAX = 200;

let made = 0;
/** An event of an organization, which is its line. */
export function eventOf(organizationId: string, id = `event ${++made}`): DeliveredEvent {
  const envelope = { id, organizationId, subject: 'test', aggregateId: 'a', sequence: 1, occurredAt: '', data: null };
  return { envelope, deliveries: 1, context: ROOT_CONTEXT } as unknown as DeliveredEvent;
}

/** A consumer on a database with locked rows and a broker that delivers again, in virtual time, and by the same chances each time. */
export class LockedLinesWorld {
  nowMs = 1_000_000;
  readonly failures = new Map<string, number>();
  readonly dead: string[] = [];
  /** What was away for one line alone, with its error. */
  readonly away: (readonly [line: string, error: unknown])[] = [];
  /** Organizations of each transaction that was tried. */
  readonly runs: string[][] = [];
  readonly inbox = new Set<string>();
  readonly handler: BatchHandler<unknown>;
  private readonly startedMs = this.nowMs;
  private waitMs: LockWaitMs = USUAL_LOCK_WAIT_MS;

  /** @param lockMs how long the row that an event needs stays locked from then on, `sinceMs` after the beginning; Infinity for ever */
  constructor(private readonly lockMs: (event: DeliveredEvent, sinceMs: number) => number) {
    jest.spyOn(performance, 'now').mockImplementation(() => this.nowMs);
    jest.spyOn(Math, 'random').mockImplementation(randomOf(1));
    this.handler = {
      database: this.database() as Database,
      consumer: 'test',
      prepare: async () => null,
      apply: async (_tx, events) => {
        this.runs.push([...new Set(events.map(({ envelope }) => envelope.organizationId ?? ''))]);
        const longestMs = Math.max(0, ...events.map((event) => this.lockMs(event, this.sinceMs)));
        this.nowMs += Math.min(longestMs, this.waitMs);
        if (longestMs > this.waitMs) throw lockNotHad();
        return new Set();
      },
      onDead: ({ envelope }) => void this.dead.push(envelope.id),
      onLinesAway: (away) => void this.away.push(...away),
    };
  }

  get sinceMs(): number {
    return this.nowMs - this.startedMs;
  }

  handle(...events: DeliveredEvent[]): Promise<Disposition[]> {
    return handleBatch(this.handler, events);
  }

  /** Delivers events that arrive so long after the beginning. @returns when each was taken, in the same way */
  async deliver(
    arrivals: readonly (readonly [number, DeliveredEvent])[],
    untilMs: number,
  ): Promise<Map<string, number>> {
    const taken = new Map<string, number>();
    let queue = arrivals.map(([atMs, event]) => ({ atMs, event }));
    while (queue.length > 0 && this.sinceMs < untilMs) {
      queue.sort((a, b) => a.atMs - b.atMs);
      this.nowMs = Math.max(this.nowMs, this.startedMs + (queue[0]?.atMs ?? 0));
      const batch = queue.filter(({ atMs }) => atMs <= this.sinceMs).slice(0, BATCH_MAX);
      const dispositions = await this.handle(...batch.map(({ event }) => event));
      queue = queue.filter((one) => !batch.includes(one));
      for (const [index, { event }] of batch.entries()) {
        const disposition = dispositions[index];
        if (!disposition || 'ack' in disposition) taken.set(event.envelope.id, this.sinceMs);
        else
          queue.push({
            atMs: this.sinceMs + disposition.retryAfterMs,
            event: { ...event, deliveries: event.deliveries + 1 },
          });
      }
      this.nowMs += COMMIT_MS;
    }
    return taken;
  }

  private database(): Pick<Database, 'query' | 'transaction'> {
    const query = async (statement: Statement, values: readonly unknown[]): Promise<unknown[]> => {
      const [first] = values;
      if (statement.name !== 'event-failure.count') return [];
      const failures = (this.failures.get(String(first)) ?? 0) + 1;
      this.failures.set(String(first), failures);
      return [{ failures }];
    };
    const transaction = async (work: (tx: unknown) => Promise<unknown>, options: { lockWaitMs?: LockWaitMs }) => {
      this.waitMs = options.lockWaitMs ?? USUAL_LOCK_WAIT_MS;
      const fresh: string[] = [];
      const insert = async (statement: Statement, [ids]: readonly string[][]): Promise<unknown[]> => {
        if (statement.name === 'inbox.insert') fresh.push(...(ids ?? []).filter((id) => !this.inbox.has(id)));
        return fresh.map((eventId) => ({ eventId }));
      };
      const result = await work({ query: insert, atCommit: () => undefined });
      this.nowMs += COMMIT_MS;
      for (const id of fresh) this.inbox.add(id);
      return result;
    };
    return { query, transaction } as unknown as Pick<Database, 'query' | 'transaction'>;
  }
}

/** Numbers from 0 to below 1, the same in each run. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
}

function lockNotHad(): Error {
  return Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03', severity: 'ERROR' });
}
