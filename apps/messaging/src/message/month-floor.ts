import { cuidFloor } from '@switchboard/contracts/grammar/cuid';

/** The smallest cuid of the moment's month in UTC: by it months of messages, and of what belongs to them, are told apart. */
export function monthFloor(moment: Date): string {
  return cuidFloor(new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth())));
}
