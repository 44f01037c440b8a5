import { Inject, Injectable } from '@nestjs/common';
import type { ConsumerTopology } from '@switchboard/contracts/consumers';
import type { AuditedActor } from '@switchboard/contracts/grammar/audited-act';
import { takeEvent } from '@switchboard/outbox';
import { LOG, type Log } from '@switchboard/platform';
import { Database, type Transaction } from '@switchboard/postgres';
import type { AuditTrail, NewAuditEntry } from '../audit.contract.js';
import { appendAudit } from './audit.repository.js';

/** The audit log as other services' acts are written into it; see the contract for what is promised. */
@Injectable()
export class DatabaseAuditTrail implements AuditTrail {
  constructor(
    private readonly database: Database,
    @Inject(LOG) private readonly log: Log,
  ) {}

  async record(entry: NewAuditEntry): Promise<void> {
    try {
      await this.database.transaction(async (tx) => appendAudit(tx, entry), { tenant: entry.organizationId });
    } catch (error) {
      const { organizationId, action, actor, traceId } = entry;
      const actorId = actor.type === 'system' ? null : actor.id;
      this.log.warn('audit.not-recorded', { organizationId, action, actorId, traceId });
      throw error;
    }
  }

  append(tx: Transaction, entry: NewAuditEntry): void {
    appendAudit(tx, entry);
  }

  async recordAct(consumer: ConsumerTopology, by: AuditedActor | undefined, entry: NewAuditEntry): Promise<void> {
    if (!by) return this.record(entry);
    try {
      const take = async (tx: Transaction): Promise<void> => {
        if (await takeEvent(tx, consumer.name, by.actId)) appendAudit(tx, entry);
      };
      await this.database.transaction(take, { tenant: entry.organizationId });
    } catch (error) {
      const { organizationId, action, traceId } = entry;
      this.log.error('audit.delayed', error, { organizationId, action, traceId });
    }
  }
}
