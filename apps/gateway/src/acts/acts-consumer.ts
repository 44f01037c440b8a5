import type { ConsumerTopology } from '@switchboard/contracts/consumers';
import type { ActFacts, AuditedActor } from '@switchboard/contracts/grammar/audited-act';
import type { EventDefinition, EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import type { DeliveredEvent } from '@switchboard/nats';
import { eventDataOf, PlainConsumer, type Platform } from '@switchboard/platform';
import type { Transaction } from '@switchboard/postgres';
import type { AuditAction, AuditActor, AuditTrail, NewAuditEntry } from '../identity/audit.contract.js';

const BATCH_MAX = 100;

/** Whose acts a consumer writes. */
export interface ActsSpec {
  readonly consumer: ConsumerTopology;
  readonly event: EventDefinition<ActFacts<AuditAction>>;
}

/**
 * Writes acts that another service has committed into the log where they are not in it yet: the gateway that asked for them has
 * ended, or could not write, between the act and its answer.
 */
export abstract class ActsConsumer extends PlainConsumer {
  constructor(
    platform: Platform,
    private readonly auditTrail: AuditTrail,
    private readonly acts: ActsSpec,
  ) {
    // The log of one organization a transaction, as the contract says.
    const groupOf = ({ organizationId }: { readonly organizationId: string | null }): string => organizationId ?? '';
    super(platform, { consumer: acts.consumer, batchMax: BATCH_MAX, groupOf });
  }

  protected async take(tx: Transaction, events: readonly DeliveredEvent[]): Promise<void> {
    for (const { envelope } of events) {
      const entry = this.entryOf(envelope);
      if (entry) this.auditTrail.append(tx, entry);
    }
  }

  /** What an event brings into the log; null: nothing. */
  protected entryOf(envelope: EventEnvelope<unknown>): NewAuditEntry | null {
    const found = eventDataOf(envelope, this.acts.event);
    if (!found) return null;
    const { organizationId, data } = found;
    const { action, before, after, by } = data;
    const { address, traceId } = by;
    return { organizationId, actor: auditActorOf(by), address, traceId, action, before, after };
  }
}

function auditActorOf(by: AuditedActor): AuditActor {
  return 'userId' in by ? { type: 'user', id: by.userId, email: by.email } : { type: 'key', id: by.keyId };
}
