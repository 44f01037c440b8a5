import { cuidTime } from '@switchboard/contracts/grammar/cuid';
import type { DeliveredEvent } from '@switchboard/nats';
import type { EventOrigin } from '@switchboard/outbox';
import {
  blankContact,
  erasedAmong,
  EventConsumer,
  systemClock,
  type EventConsumerSpec,
  type Platform,
} from '@switchboard/platform';
import type { Transaction } from '@switchboard/postgres';
import type { FeedWakeUps } from '../event/feed-wake-ups.js';
import type { LaneWakeUps } from '../lane/lane-wake-ups.js';
import { hasPublicForm, publicEventOf, type PublicEvent } from '../event/event-body.policy.js';
import { ARRIVAL_DAYS_MAX, storePublicEvents } from '../event/event.repository.js';
import { EventTakers } from './event-takers.js';
import { FanOutParts } from './fan-out-parts.js';
import { inOrder, NO_PATIENCE } from './event-order.policy.js';
import { LineGaps } from './line-gaps.js';
import { readLines, storeLines } from './line.repository.js';

/** How many events of a stream become deliveries in one transaction. */
const BATCH_MAX = 200;
/** Between batches in the long run; a delivery waits for it. */
const GATHER_MS = 5;
/** Of what no webhook takes the feed alone is made, and what a failing one takes waits for the next probe. */
const UNHURRIED_GATHER_MS = 250;
/** An event that waits for its predecessor is tried again with it; after so long, another reader may have stored that. */
const PARK_MS = 5_000;
const DAY_MS = 86_400_000;

/**
 * Turns events of a stream into stored bodies and deliveries, in the transaction of the inbox rows; the delivery itself is
 * the worker's. Where events have an order one replica takes them at a time, and one that comes before its predecessor, which a reader
 * that crashed had taken, waits for it: so they are stored in their order.
 */
export abstract class FanOutConsumer extends EventConsumer<null> {
  /** The webhooks of events that are stored, or about to be. */
  readonly #takenBy = new WeakMap<DeliveredEvent, readonly string[]>();
  private readonly takers = new EventTakers();
  private readonly gaps = new LineGaps();
  private readonly parts = new FanOutParts((envelope) => this.takers.count(envelope));
  private readonly endListening: () => void;

  constructor(
    platform: Platform,
    private readonly wakeUps: LaneWakeUps,
    private readonly feedWakeUps: FeedWakeUps,
    spec: Pick<EventConsumerSpec, 'consumer' | 'isExclusive' | 'batchesMax'>,
  ) {
    super(platform, {
      ...spec,
      batchMax: BATCH_MAX,
      parkMs: PARK_MS,
      gatherMs: GATHER_MS,
      unhurried: {
        gatherMs: UNHURRIED_GATHER_MS,
        includes: ({ envelope }) => !hasPublicForm(envelope) || this.takers.haveTime(envelope),
        // Before a message was sent it was accepted: of that the feed has nothing.
        precedes: ({ envelope }) => !hasPublicForm(envelope),
      },
      nextOf: (...waiting) => this.parts.next(...waiting),
      onBatch: (events) => this.#wake(events),
    });
    this.endListening = wakeUps.listenNewTakers((organizationId) => this.takers.forget(organizationId));
  }

  override async onModuleDestroy(): Promise<void> {
    this.endListening();
    await super.onModuleDestroy();
  }

  async prepare(): Promise<null> {
    return null;
  }

  async apply(
    tx: Transaction,
    events: readonly DeliveredEvent[],
    _prepared: null,
    origin: EventOrigin,
  ): Promise<ReadonlySet<string>> {
    const counted = events.flatMap(({ envelope }) => (envelope.sequence === null ? [] : envelope.aggregateId));
    // For a dead letter those that follow it have waited.
    const patience = origin === 'delivery' ? this.gaps : NO_PATIENCE;
    const publicOf = new Map(events.map((event) => [event, publicEventOf(event.envelope) ?? []]));
    const [last, erased] = await Promise.all([
      readLines(tx, [...new Set(counted)]),
      erasedOf(tx, [...publicOf.values()].flat()),
    ]);
    const { ready, waiting, reached } = inOrder(events, last, patience);
    storeLines(tx, reached);
    const carried = ready.flatMap((event) => publicOf.get(event) ?? []);
    // Its letter says so and stays: taken, it would be gone, without a delivery.
    if (origin === 'dead-letter') carried.forEach(refuseTooOld);
    const deliveries = await storePublicEvents(tx, withoutErased(carried, erased));
    const sent = Map.groupBy(deliveries, ({ eventId }) => eventId);
    const stored = new Set(carried.map(({ id }) => id));
    for (const event of ready) {
      const takers = sent.get(event.envelope.id) ?? [];
      this.takers.note(event.envelope, takers);
      const webhookIds = takers.map(({ webhookId }) => webhookId);
      if (stored.has(event.envelope.id)) this.#takenBy.set(event, webhookIds);
    }
    return waiting;
  }

  #wake(events: readonly DeliveredEvent[]): void {
    const stored = events.filter((event) => this.#takenBy.has(event));
    this.wakeUps.send([...new Set(stored.flatMap((event) => this.#takenBy.get(event) ?? []))]);
    this.feedWakeUps.send([...new Set(stored.flatMap(({ envelope }) => envelope.organizationId ?? []))]);
  }
}

/** @throws Error for an event that comes too late for the feed and for any delivery */
function refuseTooOld({ id }: PublicEvent): void {
  const today = new Date(systemClock.now()).setUTCHours(0, 0, 0, 0);
  const emittedAt = cuidTime(id);
  if (emittedAt.getTime() >= today - ARRIVAL_DAYS_MAX * DAY_MS) return;
  throw new Error(`events become deliveries for ${ARRIVAL_DAYS_MAX} days; this one is of ${emittedAt.toISOString()}`);
}

/** An event may come long after its contact was erased; its transaction has written, so that it sees every such contact. */
function erasedOf(tx: Transaction, events: readonly PublicEvent[]): Promise<ReadonlySet<string>> {
  const named = events.flatMap(({ organizationId, contactId }) => (contactId ? { organizationId, contactId } : []));
  return erasedAmong(tx, named);
}

function withoutErased(events: readonly PublicEvent[], erased: ReadonlySet<string>): readonly PublicEvent[] {
  if (erased.size === 0) return events;
  return events.map((event) => {
    if (!event.contactId || !erased.has(event.contactId)) return event;
    return { ...event, body: blankContact(event.body, event.contactId) };
  });
}
