import { About } from '../../http/input/field-description.js';
import { IsCuid, MayBeOmitted } from '../../http/input/text.decorator.js';

/** The query of `GET /app/api/events`. Source: docs/api-behaviour.md#app-events. */
export class StreamEventsQuery {
  @About(
    'As `Last-Event-ID`, for a page that opens the stream anew; that header wins. Left out: the stream starts with what happens from now on.',
  )
  @MayBeOmitted()
  @IsCuid()
  cursor: string | undefined;
}
