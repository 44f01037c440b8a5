import { setTimeout as wait } from 'node:timers/promises';
import { failedSends } from '../fault/failed-sends.js';
import type { Fault } from '../fault/fault.js';
import { isSuccess, UNRULY_KNOBS } from '../fault/kill-points.js';
import { ReportBook } from '../fault/report-book.js';
import { HEALTHY } from '../load/send-plan.js';
import { SeededRandom } from '../random/seeded-random.js';
import { markOf, settleAndAudit } from '../stage/settle.js';

/** Replicas in the order in which they are stopped. The second gateway stays: a balancer would not know its new port. */
const TARGETS = ['gateway', 'messaging', 'contacts', 'messaging-2', 'contacts-2'];

/** A release: replicas end by SIGTERM, one after the other, while callers keep their connections. */
export const stopInOrder: Fault = {
  name: 'stop-in-order',
  promise: 'SIGTERM of each service, two replicas of each, keep-alive callers: no request fails',
  points: { full: 10, short: 3 },
  async run(context, { seed, points }) {
    const stage = await context.fresh({ replicas: { gateway: 2, messaging: 2, contacts: 2 } });
    const random = new SeededRandom(seed);
    const book = new ReportBook();
    await stage.simulator.turn({ ...UNRULY_KNOBS, latencyMs: 50 });
    for (let point = 1; point <= points; point++) {
      const name = TARGETS[(point - 1) % TARGETS.length] ?? 'gateway';
      const mark = await markOf(stage);
      const load = stage.load({ random: random.fork(), mix: HEALTHY });
      await wait(random.integer(500, 1_500));
      const target = stage.stack.process(name);
      const stoppedMs = Date.now();
      await target.kill('SIGTERM');
      const endedMs = Date.now();
      await target.restarted();
      // It is back in the game before the load ends.
      await load.probe(isSuccess, false, 30_000);
      await load.stop();
      const audit = await settleAndAudit(stage, mark, load, { deadlineMs: 60_000, withLeases: true, mayDie: [name] });
      book.add(audit);
      const failed = failedSends(load.sends, `SIGTERM of ${name}`);
      for (const finding of failed) book.find(finding);
      context.say(
        `point ${point}/${points}: ${name} ended after ${endedMs - stoppedMs} ms; ${audit.tally.sends} sends, ` +
          `${failed.length} failed, ${audit.findings.length} wrong`,
      );
    }
    return book.report('');
  },
};
