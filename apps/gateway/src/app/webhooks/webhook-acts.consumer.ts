import { Inject, Injectable } from '@nestjs/common';
import { gatewayWebhookActsConsumer } from '@switchboard/contracts/consumers';
import { webhookActed } from '@switchboard/contracts/webhooks/events';
import type { DeliveredEvent } from '@switchboard/nats';
import { EventConsumer, eventDataOf, PLATFORM, type Platform } from '@switchboard/platform';
import type { Transaction } from '@switchboard/postgres';
import { AUDIT_TRAIL, type AuditTrail } from '../../identity/audit.contract.js';

const BATCH_MAX = 100;
const NONE_WAITS: ReadonlySet<string> = new Set();

/**
 * Writes acts on webhooks into the log that are not in it yet: the gateway that asked for them has ended, or could not write,
 * between the act and its answer.
 */
@Injectable()
export class WebhookActsConsumer extends EventConsumer<null> {
  constructor(
    @Inject(PLATFORM) platform: Platform,
    @Inject(AUDIT_TRAIL) private readonly auditTrail: AuditTrail,
  ) {
    // The log of one organization a transaction, as the contract says.
    const groupOf = ({ organizationId }: { readonly organizationId: string | null }): string => organizationId ?? '';
    super(platform, { consumer: gatewayWebhookActsConsumer, batchMax: BATCH_MAX, groupOf });
  }

  async prepare(): Promise<null> {
    return null;
  }

  async apply(tx: Transaction, events: readonly DeliveredEvent[]): Promise<ReadonlySet<string>> {
    for (const { envelope } of events) {
      const found = eventDataOf(envelope, webhookActed);
      if (!found) continue;
      const { action, before, after, by } = found.data;
      const { userId, email, address, traceId } = by;
      const actor = { type: 'user', id: userId, email } as const;
      const { organizationId } = found;
      this.auditTrail.append(tx, {
        organizationId,
        actor,
        address,
        traceId,
        action,
        before: before && { ...before },
        after,
      });
    }
    return NONE_WAITS;
  }
}
