import { setTimeout as wait } from 'node:timers/promises';
import { SeededRandom } from '@switchboard/testing/seeded-random';
import { webhookFindings } from '../audit/webhook-rules.policy.js';
import type { Finding } from '../audit/finding.js';
import { failedSends } from '../fault/failed-sends.js';
import type { Fault } from '../fault/fault.js';
import { p99 } from '../fault/p99.js';
import { DELIVERED_DEADLINE_MS, recordDeliveries } from '../fault/record-deliveries.js';
import { ReportBook } from '../fault/report-book.js';
import { RowLock } from '../fault/row-lock.js';
import { receiverKinds, type FirstAttempt, type WebhookRecorder } from '../ledger/webhook-recorder.js';
import { HEALTHY } from '../load/send-plan.js';
import { markOf, settleAndAudit } from '../stage/settle.js';
import type { Stage } from '../stage/stage.js';

const TABLE = 'webhooks.lane';
/** The lanes of all are the same worker's. */
const REPLICAS = 1;
const IDLE_MS = 20_000;
const LOCKED_MS = 20_000;
const SHORT_MS = 4_000;
/** What occurs so shortly before the lock may be delivered behind it, and counts for neither time. */
const BETWEEN_MS = 3_000;
/** What one worker delivers without a backlog. */
const CALLERS = 12;
/** The others' p99 while the rows are locked, by that of the time before. */
const SLOWER_MAX = 2;

/** The lanes of one organization's webhooks are held by a session that stands still, while events of all are delivered. */
export const lockedLane: Fault = {
  name: 'locked-lane',
  promise:
    "the lanes of one organization's webhooks locked for 20 s: the others' deliveries go on, their p99 at most doubles, and its own all come afterwards, in order",
  points: { full: 4, short: 1 },
  async run(context, { seed, points, isShort }) {
    const random = new SeededRandom(seed);
    const book = new ReportBook();
    const { stage, recorder } = await recordDeliveries(context, book, REPLICAS);
    const notes: string[] = [];
    try {
      for (let point = 1; point <= points; point++) {
        const locked = stage.senders[point % stage.senders.length]?.organizationId ?? '';
        const { note, findings } = await lockOnce({ stage, recorder, random, isShort, book, locked });
        findings.forEach((finding) => book.find(finding));
        notes.push(note);
        context.say(`point ${point}/${points}: ${note}, ${findings.length} wrong`);
      }
      return book.report(notes.join('; '));
    } finally {
      await recorder.stop();
    }
  },
};

interface Point {
  readonly stage: Stage;
  readonly recorder: WebhookRecorder;
  readonly random: SeededRandom;
  readonly isShort: boolean;
  readonly book: ReportBook;
  /** Id of the organization. */
  readonly locked: string;
}

async function lockOnce(point: Point): Promise<{ note: string; findings: readonly Finding[] }> {
  const { stage, recorder, random, isShort, book, locked } = point;
  const mark = await markOf(stage);
  const arrival = recorder.size;
  const load = stage.load({ random: random.fork(), mix: HEALTHY, callers: CALLERS });
  await wait(SHORT_MS / 4);
  const idleAt = new Date();
  await wait(isShort ? SHORT_MS : IDLE_MS);
  const idleUntil = new Date();
  await wait(BETWEEN_MS);
  const lock = await RowLock.hold(stage.stack.devJson.databaseUrl, TABLE, locked);
  const lockedAt = new Date();
  await wait(isShort ? SHORT_MS : LOCKED_MS);
  const freedAt = new Date();
  await lock.release();
  await wait(SHORT_MS / 4);
  await load.stop();
  const settling = { deadlineMs: DELIVERED_DEADLINE_MS, withLeases: false };
  book.add(await settleAndAudit(stage, mark, load, settling));
  await recorder.delivered(DELIVERED_DEADLINE_MS);

  const isLocked = ({ organizationId }: FirstAttempt): boolean => organizationId === locked;
  const delaysOf = (attempts: readonly FirstAttempt[]): number[] => attempts.map(({ delayMs }) => delayMs);
  const before = delaysOf((await recorder.firstAttempts(idleAt, idleUntil)).filter((one) => !isLocked(one)));
  const { own = [], others = [] } = Object.groupBy(await recorder.firstAttempts(lockedAt, freedAt), (one) =>
    isLocked(one) ? 'own' : 'others',
  );
  const during = delaysOf(others);
  const [idle, worst] = [p99(before), p99(during)];
  const note =
    `${lock.rows} lanes, others' p99 ${Math.round(idle)} ms before (${before.length} deliveries), ` +
    `${Math.round(worst)} ms meanwhile (${during.length}); ${own.length} of the locked came afterwards`;
  const findings: Finding[] = failedSends(load.sends, 'lanes of webhooks were locked');
  if (worst > SLOWER_MAX * idle) findings.push({ rule: 'webhook.slow', detail: note });
  // A lock that holds nothing up would prove nothing.
  const meanwhile = own.filter(({ beganAt }) => beganAt < freedAt).length;
  if (own.length === 0 || meanwhile > 0) {
    findings.push({ rule: 'unnoticed', detail: `${note}; ${meanwhile} of them began behind the lock` });
  }
  const committed = await recorder.committedSince(mark);
  for (const kind of receiverKinds)
    findings.push(...webhookFindings(await recorder.ledgerSince(kind, committed, arrival)));
  return { note, findings };
}
