/**
 * A moment as it travels: ISO 8601 in UTC with milliseconds. Source: docs/api-behaviour.md#dates.
 *
 * @pattern ^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$
 * @format date-time
 */
export type IsoTime = string;
