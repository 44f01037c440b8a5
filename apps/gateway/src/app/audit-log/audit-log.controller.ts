import { Controller, Get, Inject, Query } from '@nestjs/common';
import type { AuditEntryView } from '@switchboard/contracts/gateway/http';
import type { Page } from '@switchboard/contracts/grammar/page';
import { endOf, momentOf } from '../../http/input/moment.policy.js';
import { pageOf } from '../../http/input/page.query.js';
import { Principal } from '../../http/request.decorator.js';
import { Declare } from '../../http/route-declaration.js';
import { AUDIT_LOG, type AuditLog } from '../../identity/audit.contract.js';
import { ListAuditLogQuery } from './list-audit-log.query.js';

/** `/app/api/audit-log`. Source: docs/api-behaviour.md#app-audit. */
@Controller('app/api/audit-log')
export class AuditLogController {
  constructor(@Inject(AUDIT_LOG) private readonly auditLog: AuditLog) {}

  @Get()
  @Declare({
    access: 'session',
    roles: ['OWNER', 'ADMIN'],
    errors: [],
    docs: {
      operationId: 'listAuditLog',
      tag: 'Audit log',
      summary: 'Read the audit log',
      description:
        'Every security-relevant act, the newest first. No entry can be changed: each has a hash over itself and all before it.',
      query: ListAuditLogQuery,
      answers: { 200: { description: 'A page of acts.', body: { pageOf: 'AuditEntry' } } },
    },
  })
  list(@Principal() { organizationId }: Principal, @Query() query: ListAuditLogQuery): Promise<Page<AuditEntryView>> {
    const { action = null, actor = null, since, until } = query;
    return this.auditLog.list({
      organizationId,
      ...pageOf(query),
      action,
      actor,
      since: since === undefined ? null : momentOf(since),
      until: until === undefined ? null : endOf(until),
    });
  }
}
