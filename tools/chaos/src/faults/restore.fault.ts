import { setTimeout as wait } from 'node:timers/promises';
import { eventually } from '@switchboard/testing/eventually';
import type { SeededRandom } from '@switchboard/testing/seeded-random';
import type { Finding } from '../audit/finding.js';
import { eachOnItsOwn, type PointOutcome } from '../fault/each-on-its-own.js';
import type { Fault } from '../fault/fault.js';
import { isSuccess, UNRULY_KNOBS } from '../fault/kill-points.js';
import { HEALTHY } from '../load/send-plan.js';
import { RacingCallers } from '../races/racing-callers.js';
import { ChangedPeople } from '../restore/changed-people.js';
import { putBack, takeBackup } from '../restore/online-backup.js';
import { fenceFindings, lateRequests, tallyOf } from '../restore/restore-report.js';
import { consumerEpochs, doubledRequests, knownMessages, untilApplied } from '../restore/restored-ledger.js';
import { BEGINNING, settle } from '../stage/settle.js';
import { pidsOf, type Stage } from '../stage/stage.js';
import { unknownCounted } from '../stage/unknown-counted.js';

/** Sends that are repeated: some are due when the backup is taken. */
const THROTTLED = { 130429: 0.2 };
/** Numbers that opt out after the backup, half of them written to before it. */
const OPT_OUTS = 20;
const CALLERS = 24;
const TRAFFIC_MS = { full: 20_000, short: 3_000 };
const DEADLINE_MS = 120_000;

/** PostgreSQL as it was at an online backup, next to a NATS that went on: nothing is done by an operator. */
export const restore: Fault = {
  name: 'restore',
  promise:
    'PostgreSQL restored from an online backup beneath a live broker: noticed, delivered again, nothing sent twice',
  points: { full: 3, short: 1 },
  // A second restore of a stage needs the provisioning step in between, which runs when NATS is started.
  run: (context, options) => eachOnItsOwn(context, options, restoreOnce),
};

async function restoreOnce(stage: Stage, random: SeededRandom, isShort: boolean): Promise<PointOutcome> {
  const findings: Finding[] = [];
  const callers = new RacingCallers(stage, OPT_OUTS);
  const phones = Array.from({ length: OPT_OUTS }, () => callers.nextPhone());
  const people = new ChangedPeople(stage, callers);
  await stage.simulator.turn({ ...UNRULY_KNOBS, errorRate: THROTTLED });
  const load = stage.load({ random, mix: HEALTHY, callers: CALLERS });
  await Promise.all([people.write(), ...phones.slice(OPT_OUTS / 2).map((phone) => callers.send(phone))]);
  await wait(isShort ? 2_000 : 5_000);
  const atBackup = await knownMessages(stage);
  const backupBeganMs = Date.now();
  const backup = await takeBackup(stage);
  const backupMs = Date.now() - backupBeganMs;

  await Promise.all(phones.map((phone) => callers.send(phone)));
  const optedOut = await Promise.all(phones.map((phone) => callers.optOut(phone)));
  const unchanged = await people.change();
  if (unchanged > 0)
    findings.push({ rule: 'unnoticed', detail: `${unchanged} people did not change after the backup` });
  await wait(isShort ? TRAFFIC_MS.short : TRAFFIC_MS.full);
  await load.stop();
  await stage.simulator.turn({ errorRate: {} });
  // Everything is published, delivered and acknowledged: the broker has nothing left to say by itself.
  const restless = await settle(stage, BEGINNING, { deadlineMs: DEADLINE_MS, withLeases: true });
  if (restless !== null) findings.push({ rule: 'never-quiet', detail: `before the restore: ${restless}` });
  const before = { ...(await knownMessages(stage)), epochs: await consumerEpochs(stage) };
  const [seen, unknown] = [stage.recorder.size, await unknownCounted(stage)];

  const restoredMs = await putBack(stage, backup);
  const noticedMs = (await untilNoticed(stage, before.epochs)) - restoredMs;
  const again = stage.load({ random, mix: HEALTHY, callers: CALLERS });
  const first = await again.probe(isSuccess, { toNew: false, deadlineMs: DEADLINE_MS });
  findings.push(...(await untilApplied(stage, seen, DEADLINE_MS)));
  const appliedMs = Date.now() - restoredMs;

  findings.push(...(await people.act()));
  const refused = await Promise.all(phones.map((phone) => callers.send(phone)));
  await wait(isShort ? TRAFFIC_MS.short : TRAFFIC_MS.full);
  await again.stop();
  const quiet = await settle(stage, BEGINNING, { deadlineMs: DEADLINE_MS, withLeases: true });
  if (quiet !== null) findings.push({ rule: 'never-quiet', detail: `after the restore: ${quiet}` });

  const takenBack = (await unknownCounted(stage)) - unknown;
  const toOptedOut = await lateRequests(stage, phones, restoredMs);
  findings.push(...(await doubledRequests(stage)), ...toOptedOut, ...fenceFindings(refused));
  const dead = [...pidsOf(stage.stack)].filter(([name, pid]) => name !== 'postgres' && stage.pids.get(name) !== pid);
  findings.push(...dead.map(([name]): Finding => ({ rule: 'process.died', detail: `${name} died by itself` })));
  const after = await knownMessages(stage);
  const gone = [...before.ids].filter((id) => !after.ids.has(id));
  findings.push(
    ...gone
      .filter((id) => atBackup.ids.has(id))
      .map((id): Finding => ({ rule: 'message.lost', detail: `${id}, of the backup` })),
  );
  if (gone.length === 0 || optedOut.includes(null)) {
    findings.push({ rule: 'unnoticed', detail: `${gone.length} messages lost, opt-outs ${JSON.stringify(optedOut)}` });
  }
  const note =
    `backup in ${backupMs} ms; noticed by all after ${noticedMs} ms, all applied again after ${appliedMs} ms; ` +
    `the restore lost ${gone.length} sends of ${before.ids.size}; ${takenBack} attempts of the backup were taken back, and ${after.takenBack} of them stay unknown`;
  await callers.close();
  const tally = tallyOf(stage, [load, again], findings, after.takenBack);
  return { audit: { tally, findings }, recoveryMs: (first?.endedMs ?? Date.now()) - restoredMs, note };
}

/** @returns when every service had begun its consumers anew */
async function untilNoticed(stage: Stage, before: ReadonlyMap<string, number>): Promise<number> {
  await eventually(
    async () => {
      const now = await consumerEpochs(stage);
      return [...before].every(([name, epoch]) => (now.get(name) ?? -1) > epoch);
    },
    { deadlineMs: DEADLINE_MS },
  );
  return Date.now();
}
