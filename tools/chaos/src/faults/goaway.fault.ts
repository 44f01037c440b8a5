import { eventually } from '@switchboard/testing/eventually';
import type { Fault } from '../fault/fault.js';
import { isSuccess } from '../fault/kill-points.js';
import { ReportBook } from '../fault/report-book.js';
import { HEALTHY } from '../load/send-plan.js';
import { SeededRandom } from '@switchboard/testing/seeded-random';
import { markOf, settleAndAudit } from '../stage/settle.js';
import { unknownCounted } from '../stage/unknown-counted.js';

const LATENCY_MS = 20;
const SHORT_SENDS = 300;
/** Every connection is closed in order after so few requests that most sends meet a closing one. */
const REQUESTS_A_CONNECTION = 5;
const DEADLINE_MS = 600_000;

/** The provider speaks HTTP/2 and HTTP/1.1 over TLS and closes its connections all the time. Points are thousands of sends. */
export const goaway: Fault = {
  name: 'goaway',
  promise: 'connections that the provider closes in order, over TLS: no send fails, no outcome is unknown',
  points: { full: 3, short: 1 },
  async run(context, { seed, points, isShort }) {
    const stage = await context.fresh({ environment: { UPSTREAM_TLS: 'true' } });
    const book = new ReportBook();
    await stage.simulator.turn({ latencyMs: LATENCY_MS, goawayAfter: REQUESTS_A_CONNECTION });
    const mark = await markOf(stage);
    const wanted = isShort ? SHORT_SENDS : points * 1_000;
    const load = stage.load({ random: new SeededRandom(seed), mix: HEALTHY, thinkMsMax: 0 });
    await eventually(() => load.sends.length >= wanted, { deadlineMs: DEADLINE_MS });
    await load.stop();
    book.add(await settleAndAudit(stage, mark, load, { deadlineMs: 60_000, withLeases: true }));
    for (const { text, to, outcome } of load.sends.filter((send) => !isSuccess(send))) {
      book.find({ rule: 'send.failed', detail: `«${text}» to ${to}: ${JSON.stringify(outcome)}` });
    }
    const unknown = await unknownCounted(stage);
    if (unknown > 0) book.find({ rule: 'send.failed', detail: `${unknown} outcomes became unknown` });
    return book.report(`a connection takes ${REQUESTS_A_CONNECTION} requests; ${unknown} outcomes became unknown`);
  },
};
