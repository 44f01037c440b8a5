import { subscribableEvents, type SubscribableEvent } from '@switchboard/contracts/webhooks/http';
import { About } from '../../http/input/field-description.js';
import { PageQuery } from '../../http/input/page.query.js';
import { RestoreOffset } from '../../http/input/query.decorator.js';
import { IsMoment, MayBeOmitted, rule } from '../../http/input/text.decorator.js';

const oneEvent = `(${subscribableEvents.join('|').replaceAll('.', '\\.')})`;
const pattern = `^${oneEvent}(,${oneEvent}){0,${subscribableEvents.length - 1}}$`;
const known = new Set<string>(subscribableEvents);

/** The query of `GET /v1/events`. Source: docs/api-behaviour.md#events-feed. */
export class ListEventsQuery extends PageQuery {
  @About('Only these events, separated by commas.')
  @MayBeOmitted()
  @EventTypes()
  type: string | undefined;

  @About(
    'Where reading starts without a `cursor`: with the first event that occurred then or later. Left out: with the oldest kept.',
  )
  @MayBeOmitted()
  @RestoreOffset()
  @IsMoment()
  from: string | undefined;
}

/** The events that a query names; null: all. */
export function eventTypesOf({ type }: ListEventsQuery): readonly SubscribableEvent[] | null {
  if (type === undefined) return null;
  const named = new Set(type.split(','));
  return subscribableEvents.filter((event) => named.has(event));
}

function EventTypes(): PropertyDecorator {
  const isValid = (value: unknown): boolean => {
    const names = typeof value === 'string' ? value.split(',') : [];
    return names.length > 0 && names.length <= known.size && names.every((name) => known.has(name));
  };
  const expected = `must be names of events separated by commas, of ${subscribableEvents.join(', ')}`;
  return rule('eventTypes', expected, { type: 'string', pattern }, isValid);
}
