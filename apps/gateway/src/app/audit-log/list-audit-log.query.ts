import { auditActions } from '@switchboard/contracts/gateway/audit-actions';
import { IsIn } from 'class-validator';
import { About } from '../../http/input/field-description.js';
import { PageQuery } from '../../http/input/page.query.js';
import { MayBeOmitted } from '../../http/input/text.decorator.js';
import type { AuditAction } from '../../identity/audit.contract.js';

/** The query of `GET /app/api/audit-log`. */
export class ListAuditLogQuery extends PageQuery {
  @About('Only acts of this kind.')
  @MayBeOmitted()
  @IsIn(auditActions)
  action: AuditAction | undefined;
}
