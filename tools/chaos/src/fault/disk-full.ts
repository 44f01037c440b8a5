import { mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { eventually } from '@switchboard/testing/eventually';
import { SmallDisk } from '../disk/small-disk.js';
import { HEALTHY } from '../load/send-plan.js';
import { SeededRandom } from '@switchboard/testing/seeded-random';
import { BEGINNING, settleAndAudit } from '../stage/settle.js';
import type { Stage } from '../stage/stage.js';
import { temporaryFolder } from '../stage/temporary-folder.js';
import type { FaultContext, FaultOptions, FaultOutcome } from './fault.js';
import { isSuccess, UNRULY_KNOBS } from './kill-points.js';
import { ReportBook } from './report-book.js';

/** Whose disk is full. */
export interface DiskSpec {
  readonly server: 'postgres' | 'nats';
  readonly megabytes: number;
  /** Whether the full disk shows. */
  isFelt(stage: Stage, sends: { readonly succeeded: number; readonly failed: number }): Promise<boolean>;
}

const FELT_WITHIN_MS = 90_000;
const FULL_MS = 8_000;
const FULL_SHORT_MS = 3_000;
const RECOVERY_DEADLINE_MS = 90_000;
const SETTLE_DEADLINE_MS = 180_000;

/** Fills the disk of a server under load, holds it full, frees it, and waits for what comes back by itself. */
export async function fillDisk(context: FaultContext, options: FaultOptions, spec: DiskSpec): Promise<FaultOutcome> {
  const disk = await SmallDisk.mount(spec.megabytes);
  if (!(disk instanceof SmallDisk)) return { notRun: disk.notAllowed };
  const dataDir = await temporaryFolder();
  let stage: Stage | undefined;
  try {
    // NATS wants its folder to be there, PostgreSQL makes its own.
    if (spec.server === 'nats') await mkdir(join(disk.folder, spec.server));
    await symlink(join(disk.folder, spec.server), join(dataDir, spec.server));
    stage = await context.fresh({ dataDir });
    return await fillUnderLoad(stage, disk, context, options, spec);
  } finally {
    await disk.free();
    await stage?.close();
    await rm(dataDir, { recursive: true, force: true });
    await disk.unmount();
  }
}

async function fillUnderLoad(
  stage: Stage,
  disk: SmallDisk,
  context: FaultContext,
  { seed, points, isShort }: FaultOptions,
  spec: DiskSpec,
): Promise<FaultOutcome> {
  const random = new SeededRandom(seed);
  const book = new ReportBook();
  const recoveries: number[] = [];
  const feltAfter: number[] = [];
  await stage.simulator.turn({ ...UNRULY_KNOBS, latencyMs: 50 });
  const load = stage.load({ random, mix: HEALTHY, callers: 12 });
  for (let point = 1; point <= points; point++) {
    await wait(random.integer(1_000, 2_500));
    const before = load.sends.length;
    const taken = await disk.fill();
    const filledMs = Date.now();
    const isFelt = async (): Promise<boolean> => {
      // What was given back meanwhile (a log file recycled) is taken as well.
      await disk.fill();
      const during = load.sends.slice(before);
      const succeeded = during.filter(isSuccess).length;
      return spec.isFelt(stage, { succeeded, failed: during.length - succeeded });
    };
    await eventually(isFelt, { deadlineMs: FELT_WITHIN_MS }).catch(() =>
      book.find({ rule: 'unnoticed', detail: `the full disk was not felt within ${FELT_WITHIN_MS / 1_000} s` }),
    );
    feltAfter.push(Date.now() - filledMs);
    await wait(isShort ? FULL_SHORT_MS : FULL_MS);
    const during = load.sends.slice(before);
    const succeeded = during.filter(isSuccess).length;
    await disk.free();
    const freedMs = Date.now();
    const first = await load.probe(isSuccess, { toNew: true, deadlineMs: RECOVERY_DEADLINE_MS });
    if (first === undefined) book.find({ rule: 'never-quiet', detail: 'no send succeeded after the disk was freed' });
    recoveries.push((first?.endedMs ?? Date.now()) - freedMs);
    context.say(
      `point ${point}/${points}: ${Math.round(taken / 1_000_000)} MB taken, felt after ${feltAfter.at(-1)} ms; while full ` +
        `${during.length} sends, ${succeeded} succeeded; back ${recoveries.at(-1)} ms after`,
    );
  }
  await load.stop();
  book.add(
    await settleAndAudit(stage, BEGINNING, load, {
      deadlineMs: SETTLE_DEADLINE_MS,
      withLeases: true,
      mayDie: [spec.server],
    }),
  );
  const note = `felt after ${Math.max(...feltAfter)} ms at most`;
  return { ...book.report(note), points, recoveriesMs: recoveries };
}
