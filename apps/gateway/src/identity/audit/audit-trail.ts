import { Inject, Injectable } from '@nestjs/common';
import { LOG, type Log } from '@switchboard/platform';
import { Database } from '@switchboard/postgres';
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
      await this.database.transaction(async (tx) => appendAudit(tx, entry));
    } catch (error) {
      const { organizationId, action, actor, traceId } = entry;
      const actorId = actor.type === 'system' ? null : actor.id;
      this.log.warn('audit.not-recorded', { organizationId, action, actorId, traceId });
      throw error;
    }
  }
}
