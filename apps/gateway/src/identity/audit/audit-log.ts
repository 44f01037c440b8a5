import { Inject, Injectable } from '@nestjs/common';
import type { AuditEntryView } from '@switchboard/contracts/gateway/http';
import type { Page } from '@switchboard/contracts/grammar/page';
import { Database, type Queryable } from '@switchboard/postgres';
import type { AuditLog, AuditPageRequest } from '../audit.contract.js';
import { listAudit } from './audit.repository.js';

/** The audit log in the service's own tables; see the contract for what is promised. */
@Injectable()
export class DatabaseAuditLog implements AuditLog {
  constructor(@Inject(Database) private readonly database: Queryable) {}

  list(request: AuditPageRequest): Promise<Page<AuditEntryView>> {
    return listAudit(this.database, request);
  }
}
