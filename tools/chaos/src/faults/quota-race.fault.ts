import { setTimeout as wait } from 'node:timers/promises';
import { SeededRandom } from '@switchboard/testing/seeded-random';
import type { Fault } from '../fault/fault.js';
import { ReportBook } from '../fault/report-book.js';
import { QuotaRacing } from '../races/quota-race.js';
import { BEGINNING, settleAndAudit } from '../stage/settle.js';

const SENDERS = 200;
const KILLED = ['messaging', 'messaging-2'] as const;
const SETTLE_DEADLINE_MS = 120_000;

/** More senders at once than the month's quota has left; then the same while a replica of messaging is killed. */
export const quotaRace: Fault = {
  name: 'quota-race',
  promise: 'a race of 200 senders for the rest of a quota, calm and under kill -9: exactly used up, never exceeded',
  points: { full: 10, short: 1 },
  async run(context, { seed, points }) {
    const stage = await context.fresh({ replicas: { gateway: 2, messaging: 2 } });
    const random = new SeededRandom(seed);
    const book = new ReportBook();
    const racing = new QuotaRacing(stage, SENDERS);
    let passedUnderKills = 0;
    for (let point = 1; point <= points; point++) {
      const calm = await racing.exactly(random.integer(1, SENDERS));
      const name = KILLED[point % KILLED.length] ?? KILLED[0];
      const unruly = await racing.whileKilling(name, random.integer(20, SENDERS / 2), async () => {
        await wait(random.integer(40, 200));
        await stage.stack.process(name).kill('SIGKILL');
      });
      [...calm.findings, ...unruly.findings].forEach((finding) => book.find(finding));
      passedUnderKills += unruly.passed;
      context.say(
        `point ${point}/${points}: ${calm.passed} of ${SENDERS} passed; while ${name} was killed ${unruly.passed} passed, ` +
          `${unruly.refused} were refused`,
      );
    }
    const settling = { deadlineMs: SETTLE_DEADLINE_MS, withLeases: true, mayDie: KILLED };
    book.add(await settleAndAudit(stage, BEGINNING, { sends: racing.stored, inbound: [] }, settling));
    await racing.close();
    const note = `${passedUnderKills} sends passed while a replica was killed`;
    if (passedUnderKills === 0) book.find({ rule: 'unnoticed', detail: note });
    return { ...book.report(note), points };
  },
};
