import { localTime } from '../webhook/replay-period.js';

/** The API takes a start at most so many days ahead. Source: docs/api-behaviour/templates.md, "POST /v1/templates/send". */
const DAYS_AHEAD_MAX = 35;

/** The start that a field of type `datetime-local` has; null where it has none, or one beyond what a date holds: the field takes years of six digits. */
export function startOf(scheduled: string): Date | null {
  const start = new Date(scheduled);
  return Number.isNaN(start.getTime()) ? null : start;
}

/** The latest start that the API takes, as the field takes it. */
export function latestStart(now: Date): string {
  return localTime(new Date(now.getTime() + DAYS_AHEAD_MAX * 86_400_000));
}
