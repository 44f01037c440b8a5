import { type AttemptOutcome, subscribableEvents, type WebhookEvent } from '@switchboard/contracts/webhooks/http';
import { IsIn } from 'class-validator';
import { About } from '../../http/input/field-description.js';
import { PageQuery } from '../../http/input/page.query.js';
import { RestoreOffset } from '../../http/input/query.decorator.js';
import { IsMoment, MayBeOmitted } from '../../http/input/text.decorator.js';

const events: readonly WebhookEvent[] = [...subscribableEvents, 'webhook.test'];
const outcomes = ['SUCCEEDED', 'FAILED'] as const satisfies readonly AttemptOutcome[];

/** The query of `GET /app/api/webhooks/{id}/attempts`. Source: docs/api-behaviour.md#webhooks-manage. */
export class ListAttemptsQuery extends PageQuery {
  @About('Only attempts of this event.')
  @MayBeOmitted()
  @IsIn(events)
  event: WebhookEvent | undefined;

  @About('Only attempts that ended so.')
  @MayBeOmitted()
  @IsIn(outcomes)
  outcome: AttemptOutcome | undefined;

  @About('Only attempts that began then or later.')
  @MayBeOmitted()
  @RestoreOffset()
  @IsMoment()
  from: string | undefined;

  @About('Only attempts that began before; a date includes its day.')
  @MayBeOmitted()
  @RestoreOffset()
  @IsMoment()
  to: string | undefined;
}
