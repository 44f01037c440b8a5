import { setTimeout as wait } from 'node:timers/promises';
import type { SeededRandom } from '@switchboard/testing/seeded-random';
import type { Finding } from '../audit/finding.js';
import type { Send } from '../ledger/ledgers.js';
import type { LoadSpec } from '../load/send-load.js';
import { HEALTHY, type Sender } from '../load/send-plan.js';
import { markOf, settleAndAudit } from '../stage/settle.js';
import type { Stage } from '../stage/stage.js';
import { failedSends } from './failed-sends.js';
import { LockWaits } from './lock-waits.js';
import { p99 } from './p99.js';
import type { ReportBook } from './report-book.js';
import { RowLock } from './row-lock.js';

const LOCKED_MS = 20_000;
const IDLE_MS = 20_000;
const SHORT_MS = 4_000;
const OTHERS_CALLERS = 12;
/** Of a short run: what waits once, when the rows are found, is more than a hundredth of its sends. */
const SHORT_FOUND_WITHIN_MS = 1_000;
const SETTLE_DEADLINE_MS = 60_000;
/** The others' p99 while rows are locked, by that of the time before. */
const SLOWER_MAX = 2;

/** Rows that are locked once, and who sends meanwhile. */
export interface LockPoint {
  readonly stage: Stage;
  readonly random: SeededRandom;
  readonly isShort: boolean;
  /** With its schema. */
  readonly table: string;
  readonly book: ReportBook;
  /** Whose rows are locked, those of each by a session of its own. */
  readonly locked: readonly Sender[];
  readonly others: readonly Sender[];
  /** The load of each of the locked ones; it sends before, meanwhile and afterwards. */
  readonly own: Pick<LoadSpec, 'callers'> & Partial<Pick<LoadSpec, 'thinkMsMax' | 'inboundPerSecond'>>;
  /** So long after they were locked the others' sends are not compared: many rows are found at their cost, once. */
  readonly foundWithinMs?: number;
}

/**
 * Holds rows of organizations by sessions that stand still, while all send, and audits what was accepted once it is at rest.
 * It is a finding when a send of the others fails, or their p99 is more than twice that of the time before, once the rows are found.
 */
export async function lockOnce(point: LockPoint): Promise<{ note: string; findings: Finding[] }> {
  const { stage, random, isShort, table, book } = point;
  const foundWithinMs = Math.max(point.foundWithinMs ?? 0, isShort ? SHORT_FOUND_WITHIN_MS : 0);
  const mark = await markOf(stage);
  // Callers of their own: those who wait for the lock must not be missing among those who are measured.
  const own = point.locked.map((sender) =>
    stage.load({ random: random.fork(), mix: HEALTHY, senders: [sender], ...point.own }),
  );
  const load = stage.load({ random: random.fork(), mix: HEALTHY, senders: point.others, callers: OTHERS_CALLERS });
  await wait(isShort ? SHORT_MS / 4 : SHORT_MS);
  const idleMs = Date.now();
  await wait(isShort ? SHORT_MS : IDLE_MS);
  const lockedMs = Date.now();
  const { databaseUrl } = stage.stack.devJson;
  const waits = await LockWaits.watch(databaseUrl);
  const locks = await Promise.all(
    point.locked.map(({ organizationId }) => RowLock.hold(databaseUrl, table, organizationId)),
  );
  await wait(isShort ? SHORT_MS : LOCKED_MS);
  const waited = await waits.end();
  await Promise.all(locks.map((lock) => lock.release()));
  const freedMs = Date.now();
  await wait(SHORT_MS / 2);
  const loads = [load, ...own];
  await Promise.all(loads.map((each) => each.stop()));
  const outcome = { sends: loads.flatMap(({ sends }) => sends), inbound: loads.flatMap(({ inbound }) => inbound) };
  book.add(await settleAndAudit(stage, mark, outcome, { deadlineMs: SETTLE_DEADLINE_MS, withLeases: true }));

  const between = (from: number, to: number): number[] =>
    load.sends.filter(({ startedMs }) => startedMs >= from && startedMs < to).map(durationOf);
  const foundMs = lockedMs + Math.min(foundWithinMs, (freedMs - lockedMs) / 2);
  const [before, first, during] = [between(idleMs, lockedMs), between(lockedMs, foundMs), between(foundMs, freedMs)];
  const failed = failedSends(load.sends, `rows of ${locks.length} other organizations in ${table} were locked`);
  const [idle, worst] = [p99(before), p99(during)];
  const rows = locks.reduce((sum, lock) => sum + lock.rows, 0);
  const note =
    `${table}: ${rows} rows of ${locks.length}, others' p99 ${idle} ms before (${before.length} sends), ${worst} ms ` +
    `meanwhile (${during.length}, the longest ${Math.max(0, ...during)})${firstOf(first)}, ${failed.length} failed`;
  const findings: Finding[] = [...failed];
  const without = locks.filter((lock) => lock.rows === 0).length;
  if (without > 0) findings.push({ rule: 'unnoticed', detail: `${table} has no row to lock of ${without}` });
  if (worst > SLOWER_MAX * idle) findings.push({ rule: 'send.slow', detail: `${note}; waited: ${waited}` });
  return { note, findings };
}

/** What the finding of the rows took, where it is not compared. */
function firstOf(first: readonly number[]): string {
  return first.length === 0 ? '' : `, ${p99(first)} ms until they were found (the longest ${Math.max(...first)})`;
}

function durationOf({ startedMs, endedMs }: Send): number {
  return endedMs - startedMs;
}
