import { Inject, Injectable } from '@nestjs/common';
import { templateRefused } from '@switchboard/contracts/messaging/template-events';
import { templatesRefusalsConsumer } from '@switchboard/contracts/consumers';
import type { DeliveredEvent } from '@switchboard/nats';
import { Relay } from '@switchboard/outbox';
import type { Transaction } from '@switchboard/postgres';
import { eventDataOf, PlainConsumer, PLATFORM, type Platform } from '@switchboard/platform';
import { SyncSignal } from '../account/sync-signal.js';
import { applyStatusFacts } from '../template/apply-status-facts.js';

/** Applies what refused sends say of their template: 132015 paused, 132016 disabled; 132001 has the account synchronised. */
@Injectable()
export class TakeRefusalsConsumer extends PlainConsumer {
  constructor(@Inject(PLATFORM) platform: Platform, relay: Relay, signal: SyncSignal) {
    super(platform, {
      consumer: templatesRefusalsConsumer,
      batchMax: 200,
      onBatch: () => {
        relay.wake();
        signal.wake();
      },
    });
  }

  protected async take(tx: Transaction, events: readonly DeliveredEvent[]): Promise<void> {
    const facts = events.flatMap(({ envelope }) => {
      const found = eventDataOf(envelope, templateRefused);
      if (!found) return [];
      const { organizationId, data } = found;
      const { reason, ...about } = data;
      const status = reason === 'NOT_FOUND' ? null : reason;
      return [{ ...about, organizationId, upstreamTemplateId: null, status, at: new Date(envelope.occurredAt) }];
    });
    await applyStatusFacts(tx, facts, 'refusal');
  }
}
