import { SeededRandom } from '@switchboard/testing/seeded-random';
import type { Fault } from '../fault/fault.js';
import { lockOnce } from '../fault/lock-once.js';
import { ReportBook } from '../fault/report-book.js';

const ORGANIZATIONS = 50;
const LATENCY_MS = 20;
/** One caller of each of the locked, so that each has a send under way while its row is locked, and a message of a contact now and then. */
const OWN = { callers: 1, thinkMsMax: 2_000, inboundPerSecond: 0.1 };
/** A send of others that comes while the fifty are found, two at a time, waits for that, once. */
const FOUND_WITHIN_MS = 5_000;
/** What a send meets on its way; a point each, in turn. */
const TABLES = [
  'messaging.quota',
  'messaging.channel',
  'messaging.conversation',
  'gateway.rate_limit',
  'contacts.contact',
] as const;

/** The rows of fifty organizations are held at once, as by a replica that stands still in the middle of many batches. */
export const lockedRows: Fault = {
  name: 'locked-rows',
  promise: `the rows of ${ORGANIZATIONS} organizations locked at once for 20 s: no send of another fails, their p99 at most doubles from 5 s on`,
  points: { full: TABLES.length, short: 1 },
  async run(context, { seed, points, isShort }) {
    const stage = await context.fresh({ moreOrganizations: ORGANIZATIONS });
    const random = new SeededRandom(seed);
    const book = new ReportBook();
    const notes: string[] = [];
    const [others, locked] = [stage.senders.slice(0, -ORGANIZATIONS), stage.senders.slice(-ORGANIZATIONS)];
    if (others.length === 0) throw new Error(`locked rows of ${ORGANIZATIONS} need more organizations than that`);
    await stage.simulator.turn({ latencyMs: LATENCY_MS });
    for (let point = 0; point < points; point++) {
      const table = TABLES[point % TABLES.length] ?? TABLES[0];
      const found = { foundWithinMs: FOUND_WITHIN_MS };
      const whose = { locked, others, own: OWN };
      const { note, findings } = await lockOnce({ stage, random, isShort, table, book, ...whose, ...found });
      findings.forEach((finding) => book.find(finding));
      notes.push(note);
      context.say(note);
    }
    return book.report(notes.join('; '));
  },
};
