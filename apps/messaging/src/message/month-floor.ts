import { cuidFloor } from '@switchboard/contracts/grammar/cuid';

/** No month of messages is removed that ended later than so many days ago; the functions of the schema refuse it, too. */
export const MONTHS_KEPT_DAYS_MIN = 35;

/** The smallest cuid of the moment's month in UTC: the key of a month of messages, and of what belongs to them. */
export function monthFloor(moment: Date): string {
  return cuidFloor(new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth())));
}
