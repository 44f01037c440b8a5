import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { requestsCounted, type EndpointCount } from '@switchboard/contracts/gateway/events';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { EventDataOf } from '@switchboard/contracts/grammar/define-event';
import { appendEvents, type NewEvent } from '@switchboard/outbox';
import { CLOCK, LOG, PollingWorker, type Clock, type Log } from '@switchboard/platform';
import { Database, isUniqueViolation } from '@switchboard/postgres';
import { KEY_USES, type KeyUses } from '../identity/key-use.contract.js';

/** A request with a key of an organization, that has ended. */
export interface CountedRequest {
  readonly organizationId: string;
  readonly method: string;
  /** The route's template. */
  readonly route: string;
  readonly status: number;
}

type Counted = EventDataOf<typeof requestsCounted>;
type Counts = Map<string, Map<string, number>>;

const FLUSH_INTERVAL_MS = 1_000;
const GRAIN_MS = 15 * 60_000;
/** Organizations of one flush at most; the rest goes with the next. */
const EVENTS_MAX = 500;

/**
 * Counts requests by organization, endpoint and class of status for analytics, and hands them on once a second, together with the
 * keys that they came with.
 *
 * A process that is killed takes with it what it counted since; one that stops in order hands on the rest. No relay is woken: the
 * counts leave with its next turn.
 */
@Injectable()
export class RequestCounts extends PollingWorker implements BeforeApplicationShutdown {
  /** By organization and quarter of an hour, then by class of status and endpoint. */
  private readonly waiting: Counts = new Map();
  /** One transaction's events, not known to be stored. */
  private batch: readonly NewEvent<Counted>[] = [];
  /** The last round failed: a key whose row is locked holds up no count. */
  private isApart = false;

  constructor(
    private readonly database: Database,
    @Inject(KEY_USES) private readonly keyUses: KeyUses,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) log: Log,
  ) {
    super({ log, idleMs: FLUSH_INTERVAL_MS, failureEvent: 'requests.count-failed' });
  }

  count({ organizationId, method, route, status }: CountedRequest): void {
    const quarter = Math.floor(this.clock.now() / GRAIN_MS);
    const group = `${organizationId} ${quarter}`;
    const counts = this.waiting.get(group) ?? new Map<string, number>();
    this.waiting.set(group, counts);
    const key = `${Math.floor(status / 100)}xx ${method} ${route}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }

  /** Hands on the rest: no request is left that could bring more. */
  async beforeApplicationShutdown(): Promise<void> {
    do {
      if (this.batch.length === 0) this.batch = this.takeWaiting();
      await this.write({ withKeys: false });
    } while (this.waiting.size > 0);
    await this.write({ withKeys: true });
  }

  /**
   * A batch that cannot be written is repeated in the next round, under the ids of the first time: it is counted once, also
   * when its COMMIT was done and not answered.
   *
   * @returns whether more is waiting
   */
  protected async round(): Promise<boolean> {
    if (this.batch.length === 0) this.batch = this.takeWaiting();
    if (this.batch.length === 0 && this.keyUses.isEmpty) return false;
    const { isApart } = this;
    this.isApart = true;
    await this.write({ withKeys: !isApart });
    if (isApart) await this.write({ withKeys: true });
    this.isApart = false;
    return this.waiting.size > 0;
  }

  private async write({ withKeys }: { readonly withKeys: boolean }): Promise<void> {
    let keep = (): void => undefined;
    try {
      await this.database.transaction(async (tx) => {
        appendEvents(tx, this.batch);
        if (withKeys) keep = this.keyUses.writeAtCommit(tx);
      });
    } catch (error) {
      keep();
      // The outbox has one of these ids, so it has them all.
      if (!isUniqueViolation(error)) throw error;
    }
    this.batch = [];
  }

  private takeWaiting(): NewEvent<Counted>[] {
    const taken = [...this.waiting].slice(0, EVENTS_MAX);
    for (const [group] of taken) this.waiting.delete(group);
    return taken.map(eventOf);
  }
}

function eventOf([group, counts]: readonly [string, ReadonlyMap<string, number>]): NewEvent<Counted> {
  const [organizationId = '', quarter = ''] = group.split(' ');
  const at = new Date(Number(quarter) * GRAIN_MS);
  return {
    id: newCuid(),
    event: requestsCounted,
    organizationId,
    aggregateId: organizationId,
    sequence: null,
    occurredAt: at,
    data: { at: at.toISOString(), counts: [...counts].map(countOf) },
    traceparent: null,
  };
}

function countOf([key, requests]: readonly [string, number]): EndpointCount {
  const [statusClass = '', ...endpoint] = key.split(' ');
  return { endpoint: endpoint.join(' '), statusClass, requests };
}
