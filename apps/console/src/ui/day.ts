const DAY_MS = 86_400_000;

/** A day as a field of type `date` has it; empty for what is none. */
export function dayOf(text: string | null): string {
  return text !== null && /^\d{4}-\d\d-\d\d$/.test(text) && startOfDay(text) !== null ? text : '';
}

/**
 * Where a day of the browser's zone begins, or one after it; days are not all of 24 hours.
 *
 * @param day as a field of type `date` has it
 * @returns null for no day
 */
export function startOfDay(day: string, later = 0): Date | null {
  if (day === '') return null;
  const midnight = new Date(`${day}T00:00`);
  if (Number.isNaN(midnight.getTime())) return null;
  if (later === 0) return midnight;
  const next = new Date(midnight.getTime() + later * DAY_MS + DAY_MS / 2);
  next.setHours(0, 0, 0, 0);
  return next;
}
