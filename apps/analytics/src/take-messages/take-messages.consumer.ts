import { Inject, Injectable } from '@nestjs/common';
import { analyticsMessagesConsumer } from '@switchboard/contracts/consumers';
import {
  messageAccepted,
  messageCorrected,
  messageDelivered,
  messageFailed,
  messageRead,
  messageReceived,
  messageSent,
  type MessageEventData,
} from '@switchboard/contracts/messaging/events';
import { cuidTime } from '@switchboard/contracts/grammar/cuid';
import type { DeliveredEvent } from '@switchboard/nats';
import { CLOCK, EventConsumer, PLATFORM, type Clock, type Platform } from '@switchboard/platform';
import { Database, type Transaction } from '@switchboard/postgres';
import { figuresMetrics } from '../fact/figures-metrics.js';
import { keepFactMonths } from '../fact/keep-fact-months.js';
import { factOf } from '../fact/message-fact.js';
import { keepTemplateNames, type TemplateName } from '../fact/template-name.repository.js';
import { storeFacts } from '../fact/store-facts.js';

/** Figures may lag: much shares a transaction. */
const PULLS_APART_MS = 400;
/** Several events of a message in a batch are one write of its fact. */
const BATCH_MAX = 2_000;
const NONE_WAITS: ReadonlySet<string> = new Set();
const TAKEN: ReadonlySet<string> = new Set(
  [messageAccepted, messageSent, messageDelivered, messageRead, messageFailed, messageReceived, messageCorrected].map(
    ({ subject }) => subject,
  ),
);

/** Counts messages by what their events say of them. */
@Injectable()
export class TakeMessagesConsumer extends EventConsumer<null> {
  constructor(
    private readonly database: Database,
    @Inject(PLATFORM) platform: Platform,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    super(platform, {
      consumer: analyticsMessagesConsumer,
      batchMax: BATCH_MAX,
      pullsApartMs: PULLS_APART_MS,
      readsAhead: true,
    });
  }

  async prepare(events: readonly DeliveredEvent[]): Promise<null> {
    const ids = takenOf(events).map(({ data }) => data.message.id);
    await keepFactMonths(this.database, ids, new Date(this.clock.now()));
    return null;
  }

  async apply(tx: Transaction, events: readonly DeliveredEvent[]): Promise<ReadonlySet<string>> {
    const taken = takenOf(events);
    const oldest = events.reduce(
      (id, { envelope }) => (envelope.id < id ? envelope.id : id),
      events[0]?.envelope.id ?? '',
    );
    if (taken.length > 0) figuresMetrics().counted(this.clock.now() - cuidTime(oldest).getTime());
    const names = new Map<string, TemplateName>();
    for (const { organizationId, data } of taken) {
      const { template } = data.message;
      if (template)
        names.set(`${organizationId} ${template.id}`, { ...template, organizationId, templateId: template.id });
    }
    await storeFacts(
      tx,
      taken.map(({ organizationId, data, version }) => factOf(organizationId, data.message, version)),
    );
    keepTemplateNames(tx, [...names.values()]);
    return NONE_WAITS;
  }
}

interface TakenMessage {
  readonly organizationId: string;
  readonly data: MessageEventData;
  readonly version: number;
}

function takenOf(events: readonly DeliveredEvent[]): readonly TakenMessage[] {
  return events.flatMap(({ envelope }) => {
    const { subject, organizationId, sequence } = envelope;
    if (!TAKEN.has(subject) || organizationId === null || sequence === null) return [];
    // The subject decides the shape: all of them carry the message in full.
    return [{ organizationId, data: envelope.data as MessageEventData, version: sequence }];
  });
}
