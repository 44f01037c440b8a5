import { auditActions } from '@switchboard/contracts/gateway/audit-actions';
import { IsIn } from 'class-validator';
import { About } from '../../http/input/field-description.js';
import { PageQuery } from '../../http/input/page.query.js';
import { RestoreOffset } from '../../http/input/query.decorator.js';
import { CodePoints, IsMoment, MayBeOmitted } from '../../http/input/text.decorator.js';
import type { AuditAction } from '../../identity/audit.contract.js';

/** The query of `GET /app/api/audit-log`. */
export class ListAuditLogQuery extends PageQuery {
  @About('Only acts of this kind.')
  @MayBeOmitted()
  @IsIn(auditActions)
  action: AuditAction | undefined;

  @About('Only acts of this person, key or operator: by its id.')
  @MayBeOmitted()
  @CodePoints(1, 320)
  actor: string | undefined;

  @About('Only acts at this time or later; a date alone is its first moment in UTC.')
  @MayBeOmitted()
  @RestoreOffset()
  @IsMoment()
  since: string | undefined;

  @About('Only acts before this time; a date alone includes its whole day in UTC.')
  @MayBeOmitted()
  @RestoreOffset()
  @IsMoment()
  until: string | undefined;
}
