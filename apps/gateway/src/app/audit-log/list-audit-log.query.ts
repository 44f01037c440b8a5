import type { FastifyRequest } from 'fastify';
import { auditActions, type AuditAction, type AuditPageRequest } from '../../identity/audit.contract.js';
import { PageQuery, pageOf } from '../../http/input/page.query.js';
import { readQuery } from '../../http/input/read-input.js';
import { OneOf } from '../../http/input/text.decorator.js';

/** The query of `GET /app/api/audit-log`. */
export class ListAuditLogQuery extends PageQuery {
  @OneOf(auditActions, { about: 'Only acts of this kind.', optional: true })
  action: AuditAction | undefined;
}

/** @throws AppError VALIDATION_FAILED */
export function readListAuditLog(request: FastifyRequest): Omit<AuditPageRequest, 'organizationId'> {
  const query = readQuery(ListAuditLogQuery, request);
  return { ...pageOf(query), action: query.action ?? null };
}
