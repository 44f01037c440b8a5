import { recipientStatuses, type RecipientStatus } from '@switchboard/contracts/templates/job-http';
import { IsIn } from 'class-validator';
import { About } from '../http/input/field-description.js';
import { PageQuery } from '../http/input/page.query.js';
import { MayBeOmitted } from '../http/input/text.decorator.js';

/** The query of the list of a job's recipients. */
export class ListRecipientsQuery extends PageQuery {
  @About('Only recipients with this status.')
  @MayBeOmitted()
  @IsIn(recipientStatuses)
  status: RecipientStatus | undefined;
}
