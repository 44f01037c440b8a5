import { SeededRandom } from '@switchboard/testing/seeded-random';
import type { Fault } from '../fault/fault.js';
import { lockOnce } from '../fault/lock-once.js';
import { ReportBook } from '../fault/report-book.js';

const LATENCY_MS = 20;
const CALLERS = 6;
/** What a send meets on its way; a point each, in turn. */
const TABLES = ['messaging.quota', 'messaging.conversation', 'gateway.rate_limit', 'contacts.contact'] as const;

/** One organization's rows are held by a session that stands still, while all organizations send. */
export const lockedRow: Fault = {
  name: 'locked-row',
  promise: 'the rows of one organization locked for 20 s: no send of another fails, their p99 at most doubles',
  points: { full: TABLES.length, short: 1 },
  async run(context, { seed, points, isShort }) {
    const stage = await context.shared();
    const random = new SeededRandom(seed);
    const book = new ReportBook();
    const notes: string[] = [];
    const [locked, ...others] = stage.senders;
    if (!locked || others.length === 0) throw new Error('a locked row needs two organizations');
    await stage.simulator.turn({ latencyMs: LATENCY_MS });
    for (let point = 0; point < points; point++) {
      const table = TABLES[point % TABLES.length] ?? TABLES[0];
      const own = { callers: CALLERS };
      const { note, findings } = await lockOnce({ stage, random, isShort, table, book, locked: [locked], others, own });
      findings.forEach((finding) => book.find(finding));
      notes.push(note);
      context.say(note);
    }
    await stage.simulator.reset();
    return book.report(notes.join('; '));
  },
};
