import { setTimeout as wait } from 'node:timers/promises';
import { serviceNames } from '@switchboard/contracts/topology';
import { restartConsumers } from '@switchboard/nats';
import { eventually } from '@switchboard/testing/eventually';
import type { SeededRandom } from '@switchboard/testing/seeded-random';
import { eachOnItsOwn, type PointOutcome } from '../fault/each-on-its-own.js';
import type { Fault } from '../fault/fault.js';
import { isSuccess, UNRULY_KNOBS } from '../fault/kill-points.js';
import { connectAdministrator } from '../ledger/administrator.js';
import { HEALTHY } from '../load/send-plan.js';
import { RacingCallers } from '../races/racing-callers.js';
import { putBack, takeBackup } from '../restore/online-backup.js';
import { fenceFindings, lateRequests, tallyOf } from '../restore/restore-report.js';
import {
  consumerEpochs,
  doubledRequests,
  knownMessages,
  unappliedOfBroker,
  untilApplied,
} from '../restore/restored-ledger.js';
import { counted } from '../stage/counted.js';
import { BEGINNING, settle } from '../stage/settle.js';
import type { Stage } from '../stage/stage.js';

/** How far the standby is behind: less than what a token shows. */
const BEHIND_MS = 500;
/** Numbers that opt out in that time. */
const OPT_OUTS = 20;
const CALLERS = 24;
const TRAFFIC_MS = { full: 15_000, short: 3_000 };
const DEADLINE_MS = 120_000;

/**
 * PostgreSQL goes on as a standby that had not got the last moment, under load. What messaging and contacts have published in it shows
 * them a restore; who publishes nothing reports a promotion, and an operator has all read the streams again.
 */
export const promotion: Fault = {
  name: 'promotion',
  promise:
    'a standby promoted that had not got the last moment: noticed by every service, complete after one step, nothing sent twice',
  points: { full: 2, short: 1 },
  run: (context, options) => eachOnItsOwn(context, options, promoteOnce),
};

async function promoteOnce(stage: Stage, random: SeededRandom, isShort: boolean): Promise<PointOutcome> {
  const callers = new RacingCallers(stage, OPT_OUTS);
  const phones = Array.from({ length: OPT_OUTS }, () => callers.nextPhone());
  await stage.simulator.turn(UNRULY_KNOBS);
  const load = stage.load({ random, mix: HEALTHY, callers: CALLERS });
  await Promise.all(phones.map((phone) => callers.send(phone)));
  const standby = await takeBackup(stage);
  await wait(isShort ? TRAFFIC_MS.short : TRAFFIC_MS.full);
  const epochs = await consumerEpochs(stage);

  await standby.goOnUpTo(await positionOf(stage));
  const optedOut = await Promise.all(phones.map((phone) => callers.optOut(phone)));
  await wait(BEHIND_MS);
  const [before, seen] = [await knownMessages(stage), stage.recorder.size];
  const promotedMs = await putBack(stage, standby);
  const first = await load.probe(isSuccess, { toNew: false, deadlineMs: DEADLINE_MS });
  const noticed = await untilNoticed(stage, epochs);
  const noticedMs = Date.now() - promotedMs;
  await wait(isShort ? TRAFFIC_MS.short : TRAFFIC_MS.full);
  await load.stop();

  const missing = (await unappliedOfBroker(stage, seen)).length;
  await readAgain(stage);
  const findings = await untilApplied(stage, stage.recorder.size, DEADLINE_MS);
  const appliedAtMs = Date.now();
  const restless = await settle(stage, BEGINNING, { deadlineMs: DEADLINE_MS, withLeases: true });
  if (restless !== null) findings.push({ rule: 'never-quiet', detail: restless });

  findings.push(...fenceFindings(await Promise.all(phones.map((phone) => callers.send(phone)))));
  findings.push(...(await doubledRequests(stage)), ...(await lateRequests(stage, phones, appliedAtMs)));
  const after = await knownMessages(stage);
  const gone = [...before.ids].filter((id) => !after.ids.has(id)).length;
  if (gone === 0 || optedOut.includes(null))
    findings.push({ rule: 'unnoticed', detail: `${gone} messages lost, opt-outs ${JSON.stringify(optedOut)}` });
  const note =
    `noticed by all after ${noticedMs} ms: a loss by ${noticed.restored.join(', ')}, a promotion by ${noticed.promoted.join(', ')}; ` +
    `${gone} sends of ${before.ids.size} lost, ${missing} events missing before the step, none after it; ${after.takenBack} attempts stay unknown`;
  await callers.close();
  const tally = tallyOf(stage, [load], findings, after.takenBack);
  return { audit: { tally, findings }, recoveryMs: (first?.endedMs ?? Date.now()) - promotedMs, note };
}

/** How far the log of the server is written. */
async function positionOf({ database }: Stage): Promise<string> {
  const [row] = await database.query<{ position: string }>('SELECT pg_current_wal_lsn()::text AS position');
  if (!row) throw new Error('the server has no position');
  return row.position;
}

/** @returns which services have noticed a loss, and which a promotion alone, once each has noticed one of them */
async function untilNoticed(
  stage: Stage,
  before: ReadonlyMap<string, number>,
): Promise<{ readonly restored: readonly string[]; readonly promoted: readonly string[] }> {
  return eventually(
    async () => {
      const epochs = await consumerEpochs(stage);
      const restored = serviceNames.filter((name) => (epochs.get(name) ?? -1) > (before.get(name) ?? Infinity));
      const others = serviceNames.filter((name) => !restored.includes(name));
      const promotions = others.map(async (name) => counted(stage, name, 'switchboard_promotions_total'));
      return (await Promise.all(promotions)).every((count) => count > 0) && { restored, promoted: others };
    },
    { deadlineMs: DEADLINE_MS },
  );
}

/** The step of an operator: `NATS_RESTART_CONSUMERS_OF` of the provisioning. */
async function readAgain({ stack }: Stage): Promise<void> {
  const connection = await connectAdministrator(stack.devJson.natsUrl);
  try {
    await restartConsumers(connection, serviceNames);
  } finally {
    await connection.close();
  }
}
