import { Inject, Injectable } from '@nestjs/common';
import { messagingCallbacksConsumer } from '@switchboard/contracts/consumers';
import { traceparentOf, type DeliveredEvent, type Unhurried } from '@switchboard/nats';
import { buryEvent, Relay } from '@switchboard/outbox';
import type { Transaction } from '@switchboard/postgres';
import { EventConsumer, LOG, PLATFORM, type Log, type Platform } from '@switchboard/platform';
import { ChannelRepository } from '../channel/channel.repository.js';
import { projectContacts } from '../contact/contact.repository.js';
import { callbackMetrics } from './callback-metrics.js';
import { isProgress, linesOf, planOf, type CallbackPlan, type KnownLines } from './callback-plan.policy.js';
import { ResolveContactsClient, type ResolvedPeople } from './resolve-contacts.client.js';
import { takeInbound, type InboundCallback } from './take-inbound.js';
import { takeStatuses, type StatusCallback } from './take-statuses.js';
import { UnmatchedStatuses } from './unmatched-statuses.js';

/** What a batch needs from elsewhere before its transaction; all by event id. */
interface Prepared extends ResolvedPeople {
  readonly plans: ReadonlyMap<string, CallbackPlan>;
}

const BATCH_MAX = 200;
/** Between batches with what people say, or with a refusal, in the long run. */
const GATHER_MS = 25;
/** Other statuses have time: those of a few messages share a transaction. */
const PROGRESS: Unhurried = { includes: ({ envelope }) => isProgress(envelope), gatherMs: 100 };

/** Applies callbacks of the upstream, item by item, whatever comes twice, late or broken. */
@Injectable()
export class TakeCallbacksConsumer extends EventConsumer<Prepared> {
  private readonly unmatched = new UnmatchedStatuses();

  constructor(
    @Inject(PLATFORM) platform: Platform,
    @Inject(LOG) private readonly log: Log,
    relay: Relay,
    private readonly channels: ChannelRepository,
    private readonly contacts: ResolveContactsClient,
  ) {
    super(platform, {
      consumer: messagingCallbacksConsumer,
      batchMax: BATCH_MAX,
      gatherMs: GATHER_MS,
      unhurried: PROGRESS,
      lineOf: (envelope) => {
        const { phoneNumberId, businessAccountId } = linesOf(envelope);
        return phoneNumberId ?? businessAccountId ?? envelope.aggregateId;
      },
      // Each kind locks its conversations in order; both in one transaction would not.
      groupOf: ({ subject }) => subject,
      onBatch: () => relay.wake(),
    });
  }

  override onApplicationBootstrap(): void {
    callbackMetrics();
    super.onApplicationBootstrap();
  }

  async prepare(events: readonly DeliveredEvent[]): Promise<Prepared> {
    const lines = await this.linesOf(events);
    const plans = new Map(events.map(({ envelope }) => [envelope.id, planOf(envelope, lines)]));
    const seen = [...plans].flatMap(([eventId, plan]) =>
      'people' in plan ? plan.people.map((person) => ({ ...person, eventId })) : [],
    );
    return { plans, ...(await this.contacts.resolve(seen)) };
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
   * People first: their rows are locked before conversations are, and a message that opts out is never shown before its
   * sender is suppressed.
   */
  async apply(tx: Transaction, given: readonly DeliveredEvent[], prepared: Prepared): Promise<ReadonlySet<string>> {
    const { unresolved = [], events = [] } = Object.groupBy(given, ({ envelope }) =>
      prepared.unresolved.has(envelope.id) ? 'unresolved' : 'events',
    );
    const statuses: StatusCallback[] = [];
    const inbound: InboundCallback[] = [];
    const met = events.flatMap(({ envelope }) => prepared.people.get(envelope.id) ?? []);
    await projectContacts(tx, met);
    for (const event of events) {
      const { id: eventId, occurredAt } = event.envelope;
      const plan = prepared.plans.get(eventId);
      const source = { at: new Date(occurredAt), traceparent: traceparentOf(event.context) };
      const contact = prepared.people.get(eventId)?.[0]?.contact;
      if (plan?.act === 'report') statuses.push({ ...source, ...plan, eventId });
      else if (plan?.act === 'store' && contact) inbound.push({ ...source, ...plan, contact });
      else if (plan?.act === 'ignore') callbackMetrics().ignored(plan.reason);
      else if (plan?.act === 'dead-letter') await this.bury(tx, event, plan.reason);
    }
    await takeInbound(tx, inbound);
    const waiting = await takeStatuses(tx, statuses);
    // Such belong to another system that sends from the same line, most likely: ours are stored before the upstream hears of
    // them, and carry our reference. Waiting long for them would fill the consumer for all.
    const unmatched = events.filter(
      ({ envelope }) => waiting.has(envelope.id) && this.unmatched.isOverdue(envelope.id),
    );
    for (const { envelope } of unmatched) {
      waiting.delete(envelope.id);
      callbackMetrics().ignored('unknown-message');
      this.log.warn('callback.unknown-message', { eventId: envelope.id });
    }
    return new Set([...waiting, ...unresolved.map(({ envelope }) => envelope.id)]);
  }

  /** Nothing can be made of it, now or later: a dead letter at once, which delays no other. */
  private async bury(tx: Transaction, event: DeliveredEvent, reason: string): Promise<void> {
    await buryEvent(tx, messagingCallbacksConsumer.name, event, reason);
    this.log.warn('callback.unreadable', { eventId: event.envelope.id, reason });
  }
}
