import { startOf } from './start-time.js';

const startTime = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

/**
 * The words of the button: how many messages it sends, and when.
 *
 * @param scheduled the start as its field has it, in the browser's zone; empty: at once
 */
export function sendWords(count: number, scheduled: string): string {
  const messages = count === 0 ? '' : ` ${count.toLocaleString('en')} ${count === 1 ? 'message' : 'messages'}`;
  if (scheduled === '') return `Send${messages}`;
  const start = startOf(scheduled);
  return start ? `Schedule${messages} for ${startTime.format(start)}` : `Schedule${messages}`;
}
