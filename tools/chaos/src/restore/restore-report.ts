import { EMPTY_TALLY, type Audit } from '../audit/audit.js';
import type { Finding } from '../audit/finding.js';
import type { Send } from '../ledger/ledgers.js';
import type { SendLoad } from '../load/send-load.js';
import { answeredWith } from '../races/racing-callers.js';
import type { Stage } from '../stage/stage.js';

/** Requests to numbers whose opt-outs had been made before the restore. */
export async function lateRequests(
  { simulator }: Stage,
  phones: readonly string[],
  sinceMs: number,
): Promise<Finding[]> {
  const arrivals = await simulator.arrivals();
  return arrivals
    .filter(({ to, arrivedMs }) => phones.includes(to) && arrivedMs > sinceMs)
    .map(({ to, arrivedMs }) => ({
      rule: 'fence.late',
      detail: `${to}: a request ${arrivedMs - sinceMs} ms after the restore`,
    }));
}

/** Sends to numbers that have opted out are refused, each of them. */
export function fenceFindings(sends: readonly Send[]): Finding[] {
  const refused = answeredWith(403, sends);
  if (refused === sends.length) return [];
  return [{ rule: 'fence.late', detail: `${refused} of ${sends.length} sends to opted-out numbers were refused` }];
}

/** What was sent meanwhile, and what was found. @param unknown outcomes that stay unknown */
export function tallyOf(
  { recorder }: Stage,
  loads: readonly SendLoad[],
  findings: readonly Finding[],
  unknown: number,
): Audit['tally'] {
  const sends = loads.flatMap((load) => load.sends);
  const answered = (from: number): number =>
    sends.filter(({ outcome }) => outcome.kind === 'answered' && Math.floor(outcome.status / 100) === from).length;
  return {
    ...EMPTY_TALLY,
    sends: sends.length,
    succeeded: answered(2),
    refused: answered(4),
    failed: answered(5),
    unanswered: sends.filter(({ outcome }) => outcome.kind === 'reset').length,
    unconnected: sends.filter(({ outcome }) => outcome.kind === 'refused').length,
    events: recorder.size,
    lost: findings.filter(({ rule }) => rule === 'message.lost').length,
    doubled: findings.filter(({ rule }) => rule === 'upstream.doubled').length,
    unknown,
    longestMs: sends.reduce((longest, { startedMs, endedMs }) => Math.max(longest, endedMs - startedMs), 0),
  };
}
