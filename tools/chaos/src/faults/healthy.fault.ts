import { eventually } from '@switchboard/testing/eventually';
import type { Fault } from '../fault/fault.js';
import { isSuccess } from '../fault/kill-points.js';
import { ReportBook } from '../fault/report-book.js';
import { HEALTHY } from '../load/send-plan.js';
import { SeededRandom } from '@switchboard/testing/seeded-random';
import { markOf, settleAndAudit } from '../stage/settle.js';
import { unknownCounted } from '../stage/unknown-counted.js';

const LATENCY_MS = 20;
const SHORT_SENDS = 500;
const DEADLINE_MS = 600_000;

/** Nothing breaks: what the other faults are measured against. Points are thousands of sends. */
export const healthy: Fault = {
  name: 'healthy',
  promise: 'a healthy provider and no fault: no send fails, no outcome is unknown, in 10,000 sends',
  points: { full: 10, short: 1 },
  async run(context, { seed, points, isShort }) {
    const stage = await context.shared();
    const book = new ReportBook();
    await stage.simulator.turn({ latencyMs: LATENCY_MS });
    const mark = await markOf(stage);
    const unknownBefore = await unknownCounted(stage);
    const wanted = isShort ? SHORT_SENDS : points * 1_000;
    const load = stage.load({ random: new SeededRandom(seed), mix: HEALTHY, thinkMsMax: 0 });
    const startedMs = Date.now();
    await eventually(() => load.sends.length >= wanted, { deadlineMs: DEADLINE_MS });
    await load.stop();
    const perSecond = Math.round((load.sends.length * 1_000) / (Date.now() - startedMs));
    const audit = await settleAndAudit(stage, mark, load, { deadlineMs: 60_000, withLeases: true });
    await stage.simulator.reset();
    book.add(audit);
    for (const { text, to, outcome } of load.sends.filter((send) => !isSuccess(send))) {
      book.find({ rule: 'send.failed', detail: `nothing was broken: «${text}» to ${to}: ${JSON.stringify(outcome)}` });
    }
    // Counted when it happens: a callback may have settled it before anybody looks at the row.
    const unknown = (await unknownCounted(stage)) - unknownBefore;
    if (unknown > 0) book.find({ rule: 'send.failed', detail: `${unknown} outcomes became unknown` });
    return book.report(`${perSecond} sends a second; ${unknown} outcomes became unknown`);
  },
};
