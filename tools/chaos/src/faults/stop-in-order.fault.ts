import { setTimeout as wait } from 'node:timers/promises';
import { serviceNames } from '@switchboard/contracts/topology';
import { failedSends } from '../fault/failed-sends.js';
import type { Fault, FaultContext } from '../fault/fault.js';
import { isSuccess, UNRULY_KNOBS } from '../fault/kill-points.js';
import { ReportBook } from '../fault/report-book.js';
import { HEALTHY } from '../load/send-plan.js';
import { SeededRandom } from '@switchboard/testing/seeded-random';
import { markOf, settleAndAudit } from '../stage/settle.js';
import type { Stage } from '../stage/stage.js';

/** With two replicas of each. The second gateway stays: a balancer would not know its new port. */
const ONE_OF_TWO = [...serviceNames, ...serviceNames.filter((name) => name !== 'gateway').map((name) => `${name}-2`)];
const THE_ONLY_ONE = serviceNames;
const ROUNDS_OF_TWO = 2;

/** A release: services end by SIGTERM, one after the other, while callers keep their connections. */
export const stopInOrder: Fault = {
  name: 'stop-in-order',
  promise: 'SIGTERM of each service, one of two replicas or the only one, keep-alive callers: no request fails',
  points: { full: ONE_OF_TWO.length * ROUNDS_OF_TWO + THE_ONLY_ONE.length, short: 3 },
  async run(context, { seed, points }) {
    const random = new SeededRandom(seed);
    const book = new ReportBook();
    const all = Array.from({ length: ROUNDS_OF_TWO }, () => ONE_OF_TWO).flat();
    const ofTwo = all.slice(0, points);
    const replicated = await context.fresh({ replicas: Object.fromEntries(serviceNames.map((name) => [name, 2])) });
    let reads = await stopEach({ context, stage: replicated, book, random }, ofTwo);
    await replicated.close();
    const single = THE_ONLY_ONE.slice(0, points - ofTwo.length);
    if (single.length > 0) {
      reads += await stopEach({ context, stage: await context.fresh(), book, random }, single);
    }
    return book.report(`${reads} reads next to the sends; ${single.length} of the only replica`);
  },
};

interface Release {
  readonly context: FaultContext;
  readonly stage: Stage;
  readonly book: ReportBook;
  readonly random: SeededRandom;
}

/** @returns how many reads were answered next to the sends */
async function stopEach({ context, stage, book, random }: Release, targets: readonly string[]): Promise<number> {
  let answered = 0;
  await stage.simulator.turn({ ...UNRULY_KNOBS, latencyMs: 50 });
  for (const name of targets) {
    const mark = await markOf(stage);
    const load = stage.load({ random: random.fork(), mix: HEALTHY });
    const readers = stage.readers();
    await wait(random.integer(500, 1_500));
    const target = stage.stack.process(name);
    const stoppedMs = Date.now();
    await target.kill('SIGTERM');
    const endedMs = Date.now();
    await target.restarted();
    // It is back in the game before the load ends.
    await load.probe(isSuccess, { toNew: false, deadlineMs: 30_000 });
    await load.stop();
    const { reads, findings } = await readers.stop(`SIGTERM of ${name}`);
    answered += reads;
    const audit = await settleAndAudit(stage, mark, load, { deadlineMs: 60_000, withLeases: true, mayDie: [name] });
    book.add(audit);
    const failed = [...failedSends(load.sends, `SIGTERM of ${name}`), ...findings];
    for (const finding of failed) book.find(finding);
    context.say(
      `${name} ended after ${endedMs - stoppedMs} ms; ${audit.tally.sends} sends, ${reads} reads, ` +
        `${failed.length} failed, ${audit.findings.length} wrong`,
    );
  }
  return answered;
}
