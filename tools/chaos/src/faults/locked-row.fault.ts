import { setTimeout as wait } from 'node:timers/promises';
import { SeededRandom } from '@switchboard/testing/seeded-random';
import type { Finding } from '../audit/finding.js';
import { failedSends } from '../fault/failed-sends.js';
import type { Fault } from '../fault/fault.js';
import { LockWaits } from '../fault/lock-waits.js';
import { p99 } from '../fault/p99.js';
import { ReportBook } from '../fault/report-book.js';
import { RowLock } from '../fault/row-lock.js';
import type { Send } from '../ledger/ledgers.js';
import { HEALTHY } from '../load/send-plan.js';
import { markOf, settleAndAudit } from '../stage/settle.js';
import type { Stage } from '../stage/stage.js';

const LATENCY_MS = 20;
const LOCKED_MS = 20_000;
const IDLE_MS = 20_000;
const SHORT_MS = 4_000;
/** The others' p99 while the row is locked, by that of the time before. */
const SLOWER_MAX = 2;
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
    await stage.simulator.turn({ latencyMs: LATENCY_MS });
    for (let point = 0; point < points; point++) {
      const table = TABLES[point % TABLES.length] ?? TABLES[0];
      const { note, findings } = await lockOnce({ stage, random, isShort, table, book });
      findings.forEach((finding) => book.find(finding));
      notes.push(note);
      context.say(note);
    }
    await stage.simulator.reset();
    return book.report(notes.join('; '));
  },
};

interface Point {
  readonly stage: Stage;
  readonly random: SeededRandom;
  readonly isShort: boolean;
  readonly table: string;
  readonly book: ReportBook;
}

async function lockOnce({
  stage,
  random,
  isShort,
  table,
  book,
}: Point): Promise<{ note: string; findings: Finding[] }> {
  const [locked, ...others] = stage.senders;
  if (!locked || others.length === 0) throw new Error('a locked row needs two organizations');
  const mark = await markOf(stage);
  // Callers of their own: those who wait for the lock must not be missing among those who are measured.
  const own = stage.load({ random: random.fork(), mix: HEALTHY, senders: [locked], callers: 6 });
  const load = stage.load({ random: random.fork(), mix: HEALTHY, senders: others, callers: 12 });
  await wait(isShort ? SHORT_MS / 4 : SHORT_MS);
  const idleMs = Date.now();
  await wait(isShort ? SHORT_MS : IDLE_MS);
  const lockedMs = Date.now();
  const { databaseUrl } = stage.stack.devJson;
  const waits = await LockWaits.watch(databaseUrl);
  const lock = await RowLock.hold(databaseUrl, table, locked.organizationId);
  await wait(isShort ? SHORT_MS : LOCKED_MS);
  const waited = await waits.end();
  await lock.release();
  const freedMs = Date.now();
  await wait(SHORT_MS / 2);
  await Promise.all([load.stop(), own.stop()]);
  const between = (from: number, to: number): Send[] =>
    load.sends.filter(({ startedMs }) => startedMs >= from && startedMs < to);
  const [before, during] = [between(idleMs, lockedMs), between(lockedMs, freedMs)];
  const sends = [...load.sends, ...own.sends];
  book.add(
    await settleAndAudit(
      stage,
      mark,
      { sends, inbound: [...load.inbound, ...own.inbound] },
      { deadlineMs: 60_000, withLeases: true },
    ),
  );
  const failed = failedSends(load.sends, `a row of another organization in ${table} was locked`);
  const [idle, worst] = [p99(before.map(durationOf)), p99(during.map(durationOf))];
  const note =
    `${table}: ${lock.rows} rows, others' p99 ${idle} ms before (${before.length} sends), ${worst} ms meanwhile ` +
    `(${during.length}), ${failed.length} failed`;
  const findings: Finding[] = [...failed];
  if (lock.rows === 0) findings.push({ rule: 'unnoticed', detail: `${table} has no row to lock` });
  if (worst > SLOWER_MAX * idle) findings.push({ rule: 'send.slow', detail: `${note}; waited: ${waited}` });
  return { note, findings };
}

function durationOf({ startedMs, endedMs }: Send): number {
  return endedMs - startedMs;
}
