import { setTimeout as wait } from 'node:timers/promises';
import { serviceNames } from '@switchboard/contracts/topology';
import { failedSends } from '../fault/failed-sends.js';
import type { Fault } from '../fault/fault.js';
import { UNRULY_KNOBS } from '../fault/kill-points.js';
import { ReportBook } from '../fault/report-book.js';
import { Wires } from '../link/wires.js';
import { HEALTHY } from '../load/send-plan.js';
import { SeededRandom } from '@switchboard/testing/seeded-random';
import { BEGINNING, settleAndAudit } from '../stage/settle.js';

const AWAY_MS = 60_000;
const AWAY_SHORT_MS = 6_000;
const DRAIN_DEADLINE_MS = 120_000;

/** The broker is gone for every service at once, for a minute, as seen by them: connections reset, new ones refused. */
export const natsAway: Fault = {
  name: 'nats-away',
  promise: 'NATS away for 60 s under load: sends go on being accepted, the backlog drains afterwards',
  points: { full: 1, short: 1 },
  async run(context, { seed, isShort }) {
    const wires = await Wires.open(serviceNames);
    try {
      const stage = await context.fresh({ environmentOf: wires.environmentOf });
      const book = new ReportBook();
      await stage.simulator.turn({ ...UNRULY_KNOBS, latencyMs: 50 });
      const load = stage.load({ random: new SeededRandom(seed), mix: HEALTHY, callers: 16 });
      await wait(2_000);
      const cutMs = Date.now();
      await Promise.all(wires.to('nats').map((wire) => wire.cut()));
      await wait(isShort ? AWAY_SHORT_MS : AWAY_MS);
      const backlog = (await stage.database.openWork()).unpublished;
      const healedMs = Date.now();
      await Promise.all(wires.to('nats').map((wire) => wire.heal()));
      await wait(2_000);
      await load.stop();
      const during = load.sends.filter(({ startedMs }) => startedMs >= cutMs && startedMs < healedMs);
      const failed = failedSends(load.sends, 'NATS was away');
      for (const finding of failed) book.find(finding);
      const audit = await settleAndAudit(stage, BEGINNING, load, { deadlineMs: DRAIN_DEADLINE_MS, withLeases: true });
      const drainedMs = Date.now() - healedMs;
      book.add(audit);
      const note =
        `away ${Math.round((healedMs - cutMs) / 1_000)} s: ${during.length} sends, ${failed.length} failed; ` +
        `${backlog} events waited, drained ${Math.round(drainedMs / 1_000)} s after`;
      context.say(note);
      return book.report(note);
    } finally {
      await wires.close();
    }
  },
};
