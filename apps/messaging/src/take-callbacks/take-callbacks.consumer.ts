import { messagingInboundConsumer, type ConsumerTopology } from '@switchboard/contracts/consumers';
import { traceparentOf, type DeliveredEvent, type Unhurried } from '@switchboard/nats';
import { buryEvent, type Relay } from '@switchboard/outbox';
import type { Transaction } from '@switchboard/postgres';
import { EventConsumer, systemClock, type Log, type Platform } from '@switchboard/platform';
import { callbackMetrics } from '../callback/callback-metrics.js';
import { reportUnknown } from '../callback/report-unknown.js';
import { takeStatuses, type StatusReport } from '../callback/take-statuses.js';
import { holdLanes } from '../bulk-lane/lane.repository.js';
import type { WaitingSignal } from '../callback/waiting-signal.js';
import { setAside } from '../callback/waiting-status.repository.js';
import type { ChannelRepository } from '../channel/channel.repository.js';
import { projectContacts } from '../contact/contact.repository.js';
import { announceRefusedTemplates } from '../dispatch/announce-refused-templates.js';
import { isProgress, linesOf, planOf, type CallbackPlan, type KnownLines } from './callback-plan.policy.js';
import type { ResolveContactsClient, ResolvedPeople } from './resolve-contacts.client.js';
import { findTaken, takeInbound, type InboundCallback } from './take-inbound.js';
import { effectsOf, type RefusingStatus } from './status-effects.js';
import { isNews } from './status-refusal.policy.js';
import { reportsOf } from './status-reports.js';

/** What a batch needs from elsewhere before its transaction; all by event id. */
interface Prepared extends ResolvedPeople {
  readonly plans: ReadonlyMap<string, CallbackPlan>;
}

const BATCH_MAX = 200;
/** Between batches with what people say, or with a refusal, in the long run. */
const GATHER_MS = 25;
/** Other statuses have time: those of a few messages share a transaction. */
const PROGRESS: Unhurried = { includes: ({ envelope }) => isProgress(envelope), gatherMs: 100 };

/**
 * Applies callbacks of the upstream, item by item, whatever comes twice, late or broken. Each kind has a consumer of its own, and
 * any of them takes a dead letter of every kind.
 */
export class TakeCallbacksConsumer extends EventConsumer<Prepared> {
  /** By the batch under way. */
  private hasSetAside = false;

  constructor(
    private readonly topology: ConsumerTopology,
    private readonly platform: Platform,
    private readonly log: Log,
    relay: Pick<Relay, 'wake'>,
    private readonly channels: ChannelRepository,
    private readonly contacts: ResolveContactsClient,
    waiting: WaitingSignal,
  ) {
    // A message is stored with the time at which it is taken. Two replicas, or a batch that comes again, would turn round what a
    // person said; statuses and preferences bear any order.
    const isOrdered = topology === messagingInboundConsumer;
    super(platform, {
      consumer: topology,
      batchMax: BATCH_MAX,
      gatherMs: GATHER_MS,
      unhurried: PROGRESS,
      isExclusive: isOrdered,
      keepsOrder: isOrdered,
      lineOf: (envelope) => {
        const { phoneNumberId, businessAccountId } = linesOf(envelope);
        return phoneNumberId ?? businessAccountId ?? envelope.aggregateId;
      },
      // Each kind locks its conversations in order; both in one transaction would not.
      groupOf: ({ subject }) => subject,
      onBatch: () => {
        relay.wake();
        if (this.hasSetAside) waiting.wake();
        this.hasSetAside = false;
      },
    });
  }

  override onApplicationBootstrap(): void {
    callbackMetrics();
    super.onApplicationBootstrap();
  }

  async prepare(events: readonly DeliveredEvent[]): Promise<Prepared> {
    const lines = await this.linesOf(events);
    const plans = new Map(events.map(({ envelope }) => [envelope.id, planOf(envelope, lines)]));
    const repeated = await this.repeatedOf(events, plans);
    const seen = [...plans].flatMap(([eventId, plan]) =>
      'people' in plan && !repeated.has(eventId) ? plan.people.map((person) => ({ ...person, eventId })) : [],
    );
    return { plans, ...(await this.contacts.resolve(seen)) };
  }

  /** Messages that are stored already: asked of contacts, they would make a sender anew who was erased since. */
  private async repeatedOf(events: readonly DeliveredEvent[], plans: Prepared['plans']): Promise<ReadonlySet<string>> {
    const messages = events.flatMap(({ envelope: { id: eventId, occurredAt } }) => {
      const plan = plans.get(eventId);
      return plan?.act === 'store' ? [{ ...plan, eventId, at: new Date(occurredAt) }] : [];
    });
    return new Set([...(await findTaken(this.platform.database, messages))].map(({ eventId }) => eventId));
  }

  private async linesOf(events: readonly DeliveredEvent[]): Promise<KnownLines> {
    const named = events.map(({ envelope }) => linesOf(envelope));
    const [byPhoneNumberId, byBusinessAccountId] = await Promise.all([
      this.channels.byPhoneNumberIds(named.flatMap(({ phoneNumberId }) => phoneNumberId ?? [])),
      this.channels.byBusinessAccountIds(named.flatMap(({ businessAccountId }) => businessAccountId ?? [])),
    ]);
    return { byPhoneNumberId, byBusinessAccountId };
  }

  /**
   * Lanes first, then people: their rows are locked before conversations are, and a message that opts out is never shown before
   * its sender is suppressed.
   */
  async apply(tx: Transaction, given: readonly DeliveredEvent[], prepared: Prepared): Promise<ReadonlySet<string>> {
    const { unresolved = [], events = [] } = Object.groupBy(given, ({ envelope }) =>
      prepared.unresolved.has(envelope.id) ? 'unresolved' : 'events',
    );
    const statuses: StatusReport[] = [];
    const inbound: InboundCallback[] = [];
    const effects = await effectsOf(tx, refusalsOf(events, prepared.plans));
    await holdLanes(tx, effects.holds);
    const met = events.flatMap(({ envelope }) => prepared.people.get(envelope.id) ?? []);
    await projectContacts(tx, met);
    for (const event of events) {
      const { id: eventId, occurredAt } = event.envelope;
      const plan = prepared.plans.get(eventId);
      const source = { at: new Date(occurredAt), traceparent: traceparentOf(event.context) };
      const contact = prepared.people.get(eventId)?.[0]?.contact;
      if (plan?.act === 'report') statuses.push(...reportsOf({ ...source, ...plan, eventId }));
      // One without a contact is a repetition.
      else if (plan?.act === 'store' && contact) inbound.push({ ...source, ...plan, contact });
      else if (plan?.act === 'ignore') callbackMetrics().ignored(plan.reason);
      else if (plan?.act === 'dead-letter') await this.bury(tx, event, plan.reason);
    }
    await takeInbound(tx, inbound);
    // Waiting at the broker they would fill this consumer for all.
    const unknown = await takeStatuses(tx, statuses);
    await announceRefusedTemplates(tx, effects.answers);
    const givenUp = await setAside(
      tx,
      unknown.map((status) => ({ ...status, looks: 1 })),
    );
    reportUnknown(this.log, givenUp);
    if (unknown.length > 0) this.hasSetAside = true;
    return new Set(unresolved.map(({ envelope }) => envelope.id));
  }

  /** Nothing can be made of it, now or later: a dead letter at once, which delays no other. */
  private async bury(tx: Transaction, event: DeliveredEvent, reason: string): Promise<void> {
    await buryEvent(tx, this.topology.name, event, reason);
    this.log.warn('callback.unreadable', { eventId: event.envelope.id, reason });
  }
}

/** Of what was reported just now, the statuses for which bulk sends have to wait. */
function refusalsOf(events: readonly DeliveredEvent[], plans: Prepared['plans']): RefusingStatus[] {
  return events.flatMap((event) => {
    const { id: eventId, occurredAt } = event.envelope;
    const plan = plans.get(eventId);
    const at = new Date(occurredAt);
    if (plan?.act !== 'report' || plan.refusal === null || !isNews(at, systemClock.now())) return [];
    const { refusal } = plan;
    const reports = reportsOf({ ...plan, eventId, at, traceparent: traceparentOf(event.context) });
    return reports.map((report) => ({ ...report, at, refusal }));
  });
}
