import { Controller, Get, Inject, Req } from '@nestjs/common';
import type { AuditEntryView } from '@switchboard/contracts/gateway/http';
import type { Page } from '@switchboard/contracts/grammar/page';
import { AUDIT_LOG, type AuditLog } from '../../identity/audit.contract.js';
import { sessionOf, type RequestOf } from '../../http/edge-request.js';
import { Declare } from '../../http/route-declaration.js';
import { ListAuditLogQuery, readListAuditLog } from './list-audit-log.query.js';

/** `GET /app/api/audit-log`. Source: docs/api-behaviour.md#app-audit. */
@Controller('app/api/audit-log')
export class ListAuditLogController {
  constructor(@Inject(AUDIT_LOG) private readonly auditLog: AuditLog) {}

  @Get()
  @Declare({
    access: 'session',
    roles: ['OWNER', 'ADMIN'],
    errors: [],
    input: readListAuditLog,
    docs: {
      operationId: 'listAuditLog',
      tag: 'Audit log',
      summary: 'Read the audit log',
      description:
        'Every security-relevant act, the newest first. Nothing of it can be changed: each entry has a hash over itself and all before it.',
      query: ListAuditLogQuery,
      answers: { 200: { description: 'A page of acts.', body: { pageOf: 'AuditEntry' } } },
    },
  })
  list(@Req() request: RequestOf<ReturnType<typeof readListAuditLog>>): Promise<Page<AuditEntryView>> {
    const organizationId = sessionOf(request).organization.id;
    return this.auditLog.list({ organizationId, ...request.edge.input });
  }
}
