import { momentOf } from '@switchboard/gateway/operate';
import { UsageError } from './command-line.js';

const EXAMPLE = 'for example 2026-01-31T12:00:00Z';

/**
 * A moment of the past that an operator must give.
 *
 * @param question asked when it is missing
 * @throws UsageError when it is missing, no date, or in the future
 */
export function pastMoment(option: string, text: string | undefined, question: string): Date {
  if (text === undefined) throw new UsageError(`${question} Give ${option}, ${EXAMPLE}.`);
  const moment = momentOf(text);
  if (!moment) throw new UsageError(`${option} ${text} is no date of ISO 8601, ${EXAMPLE}.`);
  if (moment.getTime() > Date.now()) throw new UsageError(`${option} ${text} is in the future.`);
  return moment;
}
