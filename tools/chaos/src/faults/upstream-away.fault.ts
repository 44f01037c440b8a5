import { setTimeout as wait } from 'node:timers/promises';
import { eventually } from '@switchboard/testing/eventually';
import { SeededRandom } from '@switchboard/testing/seeded-random';
import type { Fault } from '../fault/fault.js';
import { overtakenSends } from '../fault/overtaken-sends.js';
import { ReportBook } from '../fault/report-book.js';
import { Wires } from '../link/wires.js';
import { HEALTHY } from '../load/send-plan.js';
import { BEGINNING, settleAndAudit } from '../stage/settle.js';
import type { Stage } from '../stage/stage.js';

const LATENCY_MS = 20;
const DIRECT_MS = 8_000;
const AWAY_MS = 20_000;
const SHORT_MS = 2_000;
const CALLERS = 32;
/** Of the rate at which the same callers sent before. */
const DRAIN_RATIO_MIN = 0.5;
const DRAIN_DEADLINE_MS = 300_000;

/** The provider refuses connections under load, and comes back. */
export const upstreamAway: Fault = {
  name: 'upstream-away',
  promise: 'the provider away for 20 s under load: what waited leaves in its order, at half the direct rate at least',
  points: { full: 1, short: 1 },
  async run(context, { seed, isShort }) {
    const wires = await Wires.open(['messaging']);
    try {
      const stage = await context.fresh({ environmentOf: wires.environmentOf });
      const book = new ReportBook();
      const wire = wires.between('messaging', 'upstream');
      await stage.simulator.turn({ latencyMs: LATENCY_MS });
      const load = stage.load({ random: new SeededRandom(seed), mix: HEALTHY, callers: CALLERS, thinkMsMax: 0 });
      // Those of the first moment meet cold processes.
      await wait(SHORT_MS);
      const before = await arrived(stage);
      const directMs = isShort ? SHORT_MS : DIRECT_MS;
      await wait(directMs);
      const directRate = ((await arrived(stage)) - before) / (directMs / 1_000);
      await wire.cut();
      await wait(isShort ? SHORT_MS : AWAY_MS);
      await load.stop();
      const waiting = (await stage.database.openWork()).retries;
      const awayCount = await arrived(stage);
      await wire.heal();
      const firstMs = await eventually(async () => (await arrived(stage)) > awayCount && Date.now(), {
        deadlineMs: DRAIN_DEADLINE_MS,
      });
      await eventually(async () => (await stage.database.openWork()).retries === 0, { deadlineMs: DRAIN_DEADLINE_MS });
      const drainMs = Math.max(Date.now() - firstMs, 1);
      const drainRate = waiting / (drainMs / 1_000);
      const settling = { deadlineMs: 120_000, withLeases: true };
      book.add(await settleAndAudit(stage, BEGINNING, load, settling));
      const { compared, overtaken } = overtakenSends(load.sends, await stage.simulator.arrivals());
      for (const detail of overtaken) book.find({ rule: 'send.overtaken', detail });
      // A few messages are gone before a rate can be measured.
      if (!isShort && drainRate < DRAIN_RATIO_MIN * directRate) {
        const detail = `${drainRate.toFixed(0)}/s of ${waiting} waiting, direct ${directRate.toFixed(0)}/s`;
        book.find({ rule: 'drain.slow', detail });
      }
      const note =
        `direct ${directRate.toFixed(0)}/s; ${waiting} waited and left at ${drainRate.toFixed(0)}/s ` +
        `(${(drainRate / directRate).toFixed(2)}); ${overtaken.length} of ${compared} pairs inverted`;
      context.say(note);
      return book.report(note);
    } finally {
      await wires.close();
    }
  },
};

/** Requests that have reached the provider. */
async function arrived(stage: Stage): Promise<number> {
  return (await stage.simulator.work()).requests;
}
