import { subscribableEvents, type SubscribableEvent } from '@switchboard/contracts/webhooks/http';
import { ArrayMaxSize, ArrayNotEmpty, IsBoolean, IsIn, IsOptional } from 'class-validator';
import { About } from '../../http/input/field-description.js';
import { IsMoment } from '../../http/input/text.decorator.js';
import type { BodyDocs } from '../../http/route-docs.js';

/** The body of `POST /app/api/webhooks/{id}/replay`. Source: docs/api-behaviour.md#webhooks-replay. */
export class ReplayWebhookBody {
  @About('Events that occurred then or later; at least 7 days are kept.')
  @IsMoment()
  since = '';

  @About('Events that occurred before, and of a date all of its day; after `since`. Left out: until now.')
  @IsOptional()
  @IsMoment()
  until: string | null | undefined;

  @About('Only these, of those that the webhook subscribes to.')
  @IsOptional()
  @IsIn(subscribableEvents, { each: true })
  @ArrayNotEmpty()
  @ArrayMaxSize(subscribableEvents.length)
  events: readonly SubscribableEvent[] | null | undefined;

  @About('Only events without a successful delivery to this webhook.')
  @IsOptional()
  @IsBoolean()
  onlyMissed: boolean | null | undefined;

  @About('Counts, and sends nothing.')
  @IsOptional()
  @IsBoolean()
  dryRun: boolean | null | undefined;
}

/** The body in the description. */
export const replayWebhookBody: BodyDocs = {
  shape: ReplayWebhookBody,
  examples: {
    count: { since: '2026-02-03T00:00:00.000Z', dryRun: true },
    missed: {
      since: '2026-02-03T00:00:00.000Z',
      until: '2026-02-03T06:00:00.000Z',
      events: ['message.received'],
      onlyMissed: true,
    },
  },
};
