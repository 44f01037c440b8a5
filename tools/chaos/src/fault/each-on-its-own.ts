import { SeededRandom } from '@switchboard/testing/seeded-random';
import type { Audit } from '../audit/audit.js';
import type { Stage } from '../stage/stage.js';
import type { FaultContext, FaultOptions, FaultReport } from './fault.js';
import { ReportBook } from './report-book.js';

/** What one point came to. */
export interface PointOutcome {
  readonly audit: Audit;
  /** Until the first send that succeeded after it. */
  readonly recoveryMs: number;
  readonly note: string;
}

/** Brings a fault about on a new stage each time, and says each time what came of it. */
export async function eachOnItsOwn(
  context: FaultContext,
  { seed, points, isShort }: FaultOptions,
  once: (stage: Stage, random: SeededRandom, isShort: boolean) => Promise<PointOutcome>,
): Promise<FaultReport> {
  const random = new SeededRandom(seed);
  const book = new ReportBook();
  const notes: string[] = [];
  for (let point = 1; point <= points; point++) {
    const stage = await context.fresh();
    const { audit, recoveryMs, note } = await once(stage, random.fork(), isShort);
    book.add(audit, recoveryMs);
    notes.push(note);
    context.say(`point ${point}/${points}: ${note}`);
    await stage.close();
  }
  return book.report(notes.join('; '));
}
