import { setTimeout as wait } from 'node:timers/promises';
import { SeededRandom } from '@switchboard/testing/seeded-random';
import { jobFindings } from '../audit/job-rules.policy.js';
import type { Fault } from '../fault/fault.js';
import { ReportBook } from '../fault/report-book.js';
import { BulkRun } from '../races/bulk-run.js';
import { settle, markOf } from '../stage/settle.js';

/** Each dies while a bulk send of its own runs. */
const KILLED = ['gateway', 'messaging', 'contacts', 'templates'] as const;
const RECIPIENTS = { full: 10_000, short: 400 };
/** A job lasts so long for each kill: a restart, and work in between. */
const PER_KILL_MS = 5_000;
const PAUSE_MS = { min: 200, max: 1_500 };
/** The first kill comes while the batch is on its way. */
const INTAKE_MS = { min: 5, max: 120 };
const SUBMIT_DEADLINE_MS = 60_000;
const END_DEADLINE_MS = 180_000;

/** A bulk send while a service is killed again and again; then its ledger is compared, recipient by recipient. */
export const killDuringBulk: Fault = {
  name: 'kill-during-bulk',
  promise: 'kill -9 of gateway, messaging, contacts and templates during a bulk send: none lost, none doubled',
  points: { full: 20, short: 1 },
  async run(context, { seed, points, isShort }) {
    const stage = await context.shared();
    const random = new SeededRandom(seed);
    const book = new ReportBook();
    const total = isShort ? RECIPIENTS.short : RECIPIENTS.full;
    let unconfirmed = 0;
    let repeated = 0;
    for (const name of KILLED) {
      const mark = await markOf(stage);
      const run = new BulkRun(stage, total);
      await run.pace(Math.ceil(total / ((points * PER_KILL_MS) / 1_000)));
      const kill = async (): Promise<void> => {
        const target = stage.stack.process(name);
        await target.kill('SIGKILL');
        await target.restarted();
      };
      const submitting = run.submit(`kill ${name} ${seed} ${mark.requests}`, SUBMIT_DEADLINE_MS);
      await wait(random.integer(INTAKE_MS.min, INTAKE_MS.max));
      const kills = (async () => {
        await kill();
        await submitting.catch(() => undefined);
        for (let point = 1; point <= points; point++) {
          await wait(random.integer(PAUSE_MS.min, PAUSE_MS.max));
          await kill();
        }
      })();
      const submission = await submitting;
      repeated += submission.repeated;
      await Promise.all([kills, run.watch(END_DEADLINE_MS + points * PER_KILL_MS)]);
      const restless = await settle(stage, mark, { deadlineMs: END_DEADLINE_MS, withLeases: true });
      if (restless !== null) book.find({ rule: 'never-quiet', detail: `${name}: ${restless}` });
      const ledger = await run.ledger(mark.requests);
      const findings = jobFindings(ledger);
      findings.forEach(({ rule, detail }) => book.find({ rule, detail: `${name}: ${detail}` }));
      unconfirmed += ledger.readings.at(-1)?.counts.unconfirmed ?? 0;
      context.say(
        `${name}: ${points + 1} kills, ${submission.repeated} repetitions of the batch, ${ledger.readings.length} readings, ` +
          `${JSON.stringify(ledger.readings.at(-1)?.counts)}, ${findings.length} wrong`,
      );
      await run.close();
    }
    const note = `${total} recipients each; ${unconfirmed} unconfirmed, the batch was repeated ${repeated} times`;
    return { ...book.report(note), points: KILLED.length * (points + 1) };
  },
};
