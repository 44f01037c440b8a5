import { setTimeout as wait } from 'node:timers/promises';
import { SeededRandom } from '@switchboard/testing/seeded-random';
import type { Fault } from '../fault/fault.js';
import { UNRULY_KNOBS } from '../fault/kill-points.js';
import { ReportBook } from '../fault/report-book.js';
import { MAGIC, MIXED, type SendMix } from '../load/send-plan.js';
import { BulkRun } from '../races/bulk-run.js';
import { figuresDiffer } from '../stage/figures-differ.js';
import { markOf, settleAndAudit } from '../stage/settle.js';

const RECIPIENTS = { full: 300, short: 100 };
const KILLS_A_POINT = 3;
const BETWEEN_KILLS_MS = { min: 100, max: 1_500 };
const DEADLINE_MS = 120_000;
/** Without a refusal by rate: it slows the channel, and with it the bulk send that each point waits for. */
const UNTHROTTLED: SendMix = { ...MIXED, magic: MIXED.magic.filter((phone) => phone !== MAGIC.throttledTwice) };

/** The service that counts dies, again and again, while all that it counts comes twice, late and out of order. */
export const killAnalytics: Fault = {
  name: 'kill-analytics',
  promise: 'kill -9 of analytics under load, and all events once more: no send fails, figures equal the messages',
  points: { full: 10, short: 1 },
  async run(context, { seed, points, isShort }) {
    const stage = await context.shared();
    const random = new SeededRandom(seed);
    const book = new ReportBook();
    await stage.simulator.turn({ ...UNRULY_KNOBS, latencyMs: 20 });
    for (let point = 1; point <= points; point++) {
      const mark = await markOf(stage);
      const beganAt = new Date();
      const load = stage.load({ random: random.fork(), mix: UNTHROTTLED });
      const bulk = new BulkRun(stage, isShort ? RECIPIENTS.short : RECIPIENTS.full);
      await bulk.submit(`figures-${seed}-${point}`, DEADLINE_MS);
      for (let kill = 0; kill < KILLS_A_POINT; kill++) {
        await wait(random.integer(BETWEEN_KILLS_MS.min, BETWEEN_KILLS_MS.max));
        const analytics = stage.stack.process('analytics');
        await analytics.kill('SIGKILL');
        await analytics.restarted();
      }
      await bulk.watch(DEADLINE_MS);
      await load.stop();
      // Everything of this point once more: the inbox drops it.
      await stage.database.query(
        `UPDATE messaging.relay_state SET replay_from = least(coalesce(replay_from, 'd'), messaging.cuid_floor($1))`,
        [beganAt],
      );
      const settling = { deadlineMs: DEADLINE_MS, withLeases: true, mayDie: ['analytics'] };
      book.add(await settleAndAudit(stage, mark, load, settling));
      const findings = await figuresDiffer(stage);
      for (const finding of findings) book.find(finding);
      context.say(`point ${point}/${points}: ${load.sends.length} sends, ${findings.length} wrong`);
    }
    await stage.simulator.reset();
    return book.report(`${points * KILLS_A_POINT} kills`);
  },
};
