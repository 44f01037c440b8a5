import { setTimeout as wait } from 'node:timers/promises';
import { eventually } from '@switchboard/testing/eventually';
import type { Send } from '../ledger/ledgers.js';
import type { SendLoad } from '../load/send-load.js';
import { MIXED } from '../load/send-plan.js';
import { SeededRandom } from '@switchboard/testing/seeded-random';
import { markOf, settleAndAudit } from '../stage/settle.js';
import type { Stage } from '../stage/stage.js';
import type { FaultContext, FaultOptions, FaultReport } from './fault.js';
import { ReportBook } from './report-book.js';

/** What is killed, and how. */
export interface KillSpec {
  /** The process, by its name in the stack. */
  readonly process: string;
  readonly signal: NodeJS.Signals;
  /** Only a send to somebody new shows that it is back. */
  readonly isForNewOnly?: boolean;
}

/** Requests that the upstream must hold open at the moment of a kill, so that many attempts are under way. */
const OPEN_MIN = 20;
/** Holds requests open long enough for so many to be open at once. */
const LATENCY_MS = 350;
/** The load runs for a moment, drawn anew for each point, before the kill. */
const WARM_UP_MS = { min: 500, max: 2_000 };
const RECOVERY_DEADLINE_MS = 60_000;
/** In its order, a conversation with the number that is throttled twice takes 4.5 s a message; an outage leaves a dozen. */
const SETTLE_DEADLINE_MS = 180_000;

/** Callbacks twice, out of order, some `read`: consumers are under fire as well. */
export const UNRULY_KNOBS = {
  latencyMs: LATENCY_MS,
  duplicateRate: 0.1,
  reorder: true,
  callbackDelayMs: { sent: 20, delivered: 60, read: 90 },
};

/** Kills a process again and again under load, while at least 20 requests are open, and audits after each kill. */
export async function killPoints(context: FaultContext, options: FaultOptions, spec: KillSpec): Promise<FaultReport> {
  const stage = await context.shared();
  const random = new SeededRandom(options.seed);
  const book = new ReportBook();
  const opens: number[] = [];
  await stage.simulator.turn(UNRULY_KNOBS);
  for (let point = 1; point <= options.points; point++) {
    const mark = await markOf(stage);
    const load = stage.load({ random: random.fork(), mix: MIXED });
    await wait(random.integer(WARM_UP_MS.min, WARM_UP_MS.max));
    const open = await eventually(() => stage.simulator.openRequests().then((count) => count >= OPEN_MIN && count), {
      deadlineMs: 30_000,
    });
    const killedMs = Date.now();
    await kill(stage, spec, load);
    const toNew = spec.isForNewOnly === true;
    const isBack = (send: Send): boolean => isSuccess(send) && (send.isFirstTo || !toNew);
    const first = await load.probe(isBack, { toNew, deadlineMs: RECOVERY_DEADLINE_MS });
    await load.stop();
    const settling = { deadlineMs: SETTLE_DEADLINE_MS, withLeases: false, mayDie: [spec.process] };
    const audit = await settleAndAudit(stage, mark, load, settling);
    opens.push(open);
    if (first === undefined) {
      book.find({ rule: 'never-quiet', detail: `no send succeeded within ${RECOVERY_DEADLINE_MS / 1_000} s` });
    }
    const recoveryMs = (first?.endedMs ?? Date.now()) - killedMs;
    book.add(audit, recoveryMs);
    const { sends, succeeded, failed, unanswered, inDoubt, unknown } = audit.tally;
    context.say(
      `point ${point}/${options.points}: ${open} open, back after ${recoveryMs} ms; ${sends} sends, ${succeeded} 2xx, ` +
        `${failed} 5xx, ${unanswered} unanswered, ${inDoubt} in doubt, ${unknown} unknown, ${audit.findings.length} wrong`,
    );
  }
  await stage.simulator.reset();
  return book.report(`${Math.min(...opens)} to ${Math.max(...opens)} requests open at the kill`);
}

/** Whether the upstream took it and the caller got its answer. */
export function isSuccess({ outcome }: Send): boolean {
  return outcome.kind === 'answered' && outcome.status === 200 && outcome.upstreamMessageId !== null;
}

/** Returns when the process is dead; it comes back by itself. */
async function kill(stage: Stage, { process, signal }: KillSpec, load: SendLoad): Promise<void> {
  const target = stage.stack.process(process);
  await target.kill(signal);
  if (process !== 'simulator') return;
  load.forgetUndelivered();
  await target.restarted();
  await stage.simulator.restore();
}
