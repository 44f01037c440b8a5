/** As inputs of type `datetime-local` take it: in the browser's zone, cut to the minute. */
export function localTime(date: Date): string {
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/**
 * Where the period of a replay begins, as the API takes it. What was proposed is sent to the millisecond while it is left as it is: the
 * minute that the input shows began before it.
 *
 * @param value of the input; @param proposed ISO 8601
 */
export function sinceOf(value: string, proposed: string): string {
  const from = new Date(proposed);
  return (value === localTime(from) ? from : new Date(value)).toISOString();
}
