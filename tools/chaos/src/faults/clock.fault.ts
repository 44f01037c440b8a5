import { rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setTimeout as wait } from 'node:timers/promises';
import { cuidTime } from '@switchboard/contracts/grammar/cuid';
import { failedSends } from '../fault/failed-sends.js';
import type { Fault } from '../fault/fault.js';
import { UNRULY_KNOBS } from '../fault/kill-points.js';
import { ReportBook } from '../fault/report-book.js';
import type { RecordedEvent, Send } from '../ledger/ledgers.js';
import { HEALTHY } from '../load/send-plan.js';
import { SeededRandom } from '@switchboard/testing/seeded-random';
import { BEGINNING, settleAndAudit } from '../stage/settle.js';
import { temporaryFolder } from '../stage/temporary-folder.js';

const HOUR_MS = 3_600_000;
const HELD_MS = 4_000;
/** As long as a lease and some more: what is claimed under the wrong clock also ends under it. */
const LONG_HELD_MS = 50_000;
/** Those that emit events under a load of sends: the shifted time of these proves that the clock was wrong. */
const SERVICES = ['messaging', 'gateway', 'contacts'];
/** Those of messaging, forth and back. */
const LONG_POINTS = 2;
const preload = resolve(import.meta.dirname, '..', '..', 'dist', 'clock', 'shifted-clock.js');

/** One service's wall clock jumps by an hour, forth and back and back again. */
export const clock: Fault = {
  name: 'clock',
  promise: 'the clock of a service jumps by an hour either way: no send fails, nothing lost, nothing twice',
  points: { full: 12, short: 2 },
  async run(context, { seed, points, isShort }) {
    const folder = await temporaryFolder();
    const offsetFile = (process: string): string => join(folder, `${process}.offset`);
    const stage = await context.fresh({
      environmentOf: (process, environment) => {
        const url = pathToFileURL(preload);
        url.searchParams.set('offset', offsetFile(process));
        return { ...environment, NODE_OPTIONS: `${environment['NODE_OPTIONS'] ?? ''} --import ${url.href}`.trim() };
      },
    });
    const random = new SeededRandom(seed);
    const book = new ReportBook();
    await stage.simulator.turn({ ...UNRULY_KNOBS, latencyMs: 50 });
    const load = stage.load({ random, mix: HEALTHY, callers: 16 });
    await wait(1_000);
    for (let point = 1; point <= points; point++) {
      const service = SERVICES[Math.floor((point - 1) / 2) % SERVICES.length] ?? 'messaging';
      const offsetMs = point % 2 === 1 ? HOUR_MS : -HOUR_MS;
      const [before, seenBefore] = [load.sends.length, stage.recorder.size];
      await writeFile(offsetFile(service), String(offsetMs));
      const isLong = !isShort && point <= LONG_POINTS;
      await wait(isLong ? LONG_HELD_MS : HELD_MS);
      await writeFile(offsetFile(service), '0');
      await wait(HELD_MS / 4);
      const sends: readonly Send[] = load.sends.slice(before);
      const failed = failedSends(sends, `${service} by ${offsetMs / HOUR_MS} h`);
      for (const finding of failed) book.find(finding);
      const shifted = shiftedEvents(stage.recorder.seen.slice(seenBefore), service);
      if (shifted === 0) book.find({ rule: 'unnoticed', detail: `no event of ${service} carries the shifted time` });
      context.say(
        `point ${point}/${points}: ${service} by ${offsetMs / HOUR_MS} h; ${sends.length} sends, ` +
          `${shifted} events of the shifted time, ${failed.length} failed`,
      );
    }
    await load.stop();
    await rm(folder, { recursive: true });
    // Ids carry the shifted time, so the stage is audited as a whole: no moment of it divides them.
    book.add(await settleAndAudit(stage, BEGINNING, load, { deadlineMs: 90_000, withLeases: true }));
    return { ...book.report(''), points };
  },
};

/** Events of the service whose id was minted while its clock was wrong: they prove that it was. */
function shiftedEvents(events: readonly RecordedEvent[], service: string): number {
  return events.filter(
    ({ id, subject }) =>
      subject.startsWith(`${service}.`) && Math.abs(cuidTime(id).getTime() - Date.now()) > HOUR_MS / 2,
  ).length;
}
