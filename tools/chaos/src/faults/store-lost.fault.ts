import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Fault } from '../fault/fault.js';
import { isSuccess, UNRULY_KNOBS } from '../fault/kill-points.js';
import { ReportBook } from '../fault/report-book.js';
import { MIXED } from '../load/send-plan.js';
import { SeededRandom } from '@switchboard/testing/seeded-random';
import { BEGINNING, settleAndAudit } from '../stage/settle.js';

const REPLAY_DEADLINE_MS = 180_000;

/** JetStream's whole store is deleted under load: streams, consumers, and every event that was not consumed yet. */
export const storeLost: Fault = {
  name: 'store-lost',
  promise: 'the JetStream store deleted under load: provisioned again, the outboxes replayed, no event missing',
  points: { full: 5, short: 1 },
  async run(context, { seed, points }) {
    const stage = await context.fresh();
    const random = new SeededRandom(seed);
    const book = new ReportBook();
    await stage.simulator.turn({ ...UNRULY_KNOBS, latencyMs: 50 });
    const load = stage.load({ random, mix: MIXED });
    const recoveries: number[] = [];
    for (let point = 1; point <= points; point++) {
      await wait(random.integer(1_500, 3_000));
      const store = join(stage.dataDir, 'nats', 'store');
      if ((await readdir(store)).length === 0) throw new Error(`${store} is not where JetStream keeps its store`);
      const lostMs = Date.now();
      const nats = stage.stack.process('nats');
      const dead = nats.kill('SIGKILL');
      await Promise.all([dead, rm(store, { recursive: true })]);
      await nats.restarted();
      const first = await load.probe(isSuccess, { toNew: false, deadlineMs: 60_000 });
      recoveries.push((first?.endedMs ?? Date.now()) - lostMs);
      context.say(`point ${point}/${points}: a send succeeded ${recoveries.at(-1)} ms after the loss`);
    }
    await load.stop();
    const replayedFromMs = Date.now();
    const settling = { deadlineMs: REPLAY_DEADLINE_MS, withLeases: true, mayDie: ['nats'] };
    book.add(await settleAndAudit(stage, BEGINNING, load, settling));
    const quietS = Math.round((Date.now() - replayedFromMs) / 1_000);
    const note = `quiet ${quietS} s after the load; ${stage.recorder.repeats} events came more than once`;
    return { ...book.report(note), points, recoveriesMs: recoveries };
  },
};
