import { granularities, type Granularity } from '@switchboard/contracts/analytics/http';
import type { ReportRequest } from '@switchboard/contracts/analytics/rpc';
import { IsIn } from 'class-validator';
import { About } from '../http/input/field-description.js';
import { momentOf } from '../http/input/moment.policy.js';
import { RestoreOffset } from '../http/input/query.decorator.js';
import { IsCuid, IsMoment, MayBeOmitted, rule } from '../http/input/text.decorator.js';
import { isZone, ZONE_FORM } from './zone.policy.js';

/** The query of the reports. Source: docs/api-behaviour.md#analytics-range. */
export class ReportQuery {
  @About('Where the report begins, inclusive; rounded down to 15 minutes. Default: 30 days before `to`.')
  @MayBeOmitted()
  @RestoreOffset()
  @IsMoment()
  from: string | undefined;

  @About('Where it ends, exclusive; a date alone includes its day. Rounded up to 15 minutes. Default: now.')
  @MayBeOmitted()
  @RestoreOffset()
  @IsMoment()
  to: string | undefined;

  @About('How long a point of the series is; `day` by default.')
  @MayBeOmitted()
  @IsIn(granularities)
  granularity: Granularity | undefined;

  @About(
    'The zone of hours and days, and of dates alone: a name of the IANA database, as `Europe/Berlin`; `UTC` by default.',
  )
  @MayBeOmitted()
  @IsZone()
  timezone: string | undefined;

  @About('Only messages of this channel. Requests belong to no channel.')
  @MayBeOmitted()
  @IsCuid()
  messagingChannelId: string | undefined;
}

/** The rpc's request; a date alone stays one, since only the zone says when it is. */
export function reportRequestOf(query: ReportQuery): ReportRequest {
  const { from, to, granularity = 'day', timezone = 'UTC', messagingChannelId = null } = query;
  return { from: written(from), to: written(to), granularity, timezone, messagingChannelId };
}

function written(text: string | undefined): string | null {
  if (text === undefined) return null;
  return /^\d{4}-\d\d-\d\d$/.test(text) ? text : (momentOf(text)?.toISOString() ?? null);
}

function IsZone(): PropertyDecorator {
  const schema = { type: 'string', pattern: ZONE_FORM };
  return rule('isZone', 'must be a name of the IANA time zone database', schema, isZone);
}
