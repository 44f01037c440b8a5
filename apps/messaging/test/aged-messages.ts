import { cuidGenerator } from '@switchboard/contracts/grammar/cuid';
import type { Attempt } from '../src/dispatch/dispatch.entity.js';
import { settlementOf, taken, type MessagingStore, type Sender } from './messaging-store.js';

const MS_PER_DAY = 86_400_000;
/** One moment for a whole file: a month that turns while it runs would move the months that it has made. */
const now = new Date();

/** The middle of a month so many months ago, in UTC. */
export function monthsAgo(months: number): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 15));
}

/** Days since the end of the month of `monthsAgo`, rounded down: with as many kept, it is the youngest that goes. */
export function daysSinceEnd(months: number): number {
  const end = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months + 1);
  return Math.floor((now.getTime() - end) / MS_PER_DAY);
}

/** An id of that moment. */
export function idOf(moment: Date): string {
  return cuidGenerator({ now: () => moment.getTime(), fill: (bytes) => void crypto.getRandomValues(bytes) })();
}

/** Sends to a contact as if it were that moment; the month is made when it is not there. @returns its attempt, which is open */
export async function sentAt(store: MessagingStore, sender: Sender, moment: Date, contact = 0): Promise<Attempt> {
  await store.superuser.dataSource.query('SELECT messaging.keep_message_month($1)', [moment]);
  const [result] = await store.accept([{ ...store.request(sender, contact), messageId: idOf(moment) }]);
  if (result?.verdict !== 'accepted') throw new Error(`not accepted but ${result?.verdict}`);
  return result.attempt;
}

/** `sentAt`, and taken by the upstream. */
export async function settledAt(store: MessagingStore, sender: Sender, moment: Date, contact = 0): Promise<Attempt> {
  const attempt = await sentAt(store, sender, moment, contact);
  await store.settle(settlementOf(attempt, taken(attempt), moment));
  return attempt;
}
