import { setTimeout as wait } from 'node:timers/promises';
import { SeededRandom } from '@switchboard/testing/seeded-random';
import type { Fault } from '../fault/fault.js';
import { ReportBook } from '../fault/report-book.js';
import { longestAfter } from '../load/keyed-burst.js';
import { markOf, settleAndAudit } from '../stage/settle.js';
import type { Stage } from '../stage/stage.js';

const SENDS = 300;
/** In turns: requests that are answered at once, and requests that are open at the kill. */
const LATENCIES_MS = [0, 300];
/** From the first sends to beyond the last on an idle machine. */
const KILL_AFTER_MS = { min: 20, max: 700 };
const UNKNOWN_MAX = 2;
/** From when messaging is ready again to the final answer of each caller. */
const ANSWER_WITHIN_MS = 2_000;
/** A short run shares the machine with other tests: it finds callers who repeat until they give up, at 60 s, and no slow ones. */
const ANSWER_WITHIN_SHORT_MS = 60_000;
const SETTLE_DEADLINE_MS = 60_000;

/** The service that calls the upstream dies between marks and requests, hundreds of them at once. */
export const killMessagingBurst: Fault = {
  name: 'kill-messaging-burst',
  promise: 'kill -9 of messaging under 300 sends at once: what was marked and never left is sent by the successor',
  points: { full: 40, short: 1 },
  async run(context, { seed, points, isShort }) {
    const stage = await context.shared();
    const random = new SeededRandom(seed);
    const book = new ReportBook();
    const unknowns: number[] = [];
    const waits: number[] = [];
    for (let point = 1; point <= points; point++) {
      const latencyMs = LATENCIES_MS[point % LATENCIES_MS.length] ?? 0;
      await stage.simulator.turn({ latencyMs });
      const mark = await markOf(stage);
      const burst = stage.burst({ random: random.fork(), sends: SENDS });
      const running = burst.run();
      await wait(random.integer(KILL_AFTER_MS.min, KILL_AFTER_MS.max));
      const { killedMs, readyMs } = await kill(stage);
      const sends = await running;
      const settling = { deadlineMs: SETTLE_DEADLINE_MS, withLeases: true, mayDie: ['messaging'] };
      const audit = await settleAndAudit(stage, mark, { sends, inbound: [] }, settling);
      book.add(audit, readyMs - killedMs);
      const unknown = audit.tally.unknown + audit.tally.inDoubt;
      const waitedMs = longestAfter(readyMs, sends);
      unknowns.push(unknown);
      waits.push(waitedMs);
      if (unknown > UNKNOWN_MAX) book.find({ rule: 'send.failed', detail: `${unknown} unknown after kill ${point}` });
      if (waitedMs > (isShort ? ANSWER_WITHIN_SHORT_MS : ANSWER_WITHIN_MS)) {
        const detail = `a final answer ${waitedMs} ms after messaging was ready, kill ${point}`;
        book.find({ rule: 'send.slow', detail });
      }
      context.say(
        `kill ${point}/${points}: provider at ${latencyMs} ms; ready after ${readyMs - killedMs} ms, ` +
          `the slowest final answer ${waitedMs} ms later; ${unknown} unknown, ${audit.findings.length} wrong`,
      );
    }
    await stage.simulator.reset();
    const all = unknowns.reduce((sum, count) => sum + count, 0);
    return book.report(
      `unknown: ${all} of ${points * SENDS}, at most ${Math.max(...unknowns)} a kill; ` +
        `slowest final answer ${Math.max(...waits)} ms after messaging was ready`,
    );
  },
};

async function kill(stage: Stage): Promise<{ readonly killedMs: number; readonly readyMs: number }> {
  const target = stage.stack.process('messaging');
  const killedMs = Date.now();
  await target.kill('SIGKILL');
  await target.restarted();
  return { killedMs, readyMs: Date.now() };
}
