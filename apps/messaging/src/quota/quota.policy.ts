import { cuidTime } from '@switchboard/contracts/grammar/cuid';

/**
 * The month whose quota a message takes from, `YYYY-MM` in UTC: that of its id, which is its `createdAt`.
 *
 * An id never changes, so that taking and counting agree for good, whenever each of them happens.
 */
export function quotaMonthOf(messageId: string): string {
  return cuidTime(messageId).toISOString().slice(0, 'YYYY-MM'.length);
}

/** Why a message is refused, as one sentence for the caller. */
export function quotaRefusalOf(messageId: string, messagesMax: number): string {
  const [year = 0, month = 0] = quotaMonthOf(messageId).split('-').map(Number);
  const begins = new Date(Date.UTC(year, month)).toISOString().slice(0, 'YYYY-MM-DD'.length);
  const number = messagesMax.toLocaleString('en-US');
  return `The monthly quota of ${number} messages is used up; it resets on ${begins} at 00:00 UTC`;
}
