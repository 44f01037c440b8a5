import { EMPTY_TALLY, sumTallies, type Audit, type Tally } from '../audit/audit.js';
import type { Finding } from '../audit/finding.js';
import type { FaultReport } from './fault.js';

/** Collects what the points of a fault bring, into one report. */
export class ReportBook {
  private tally: Tally = EMPTY_TALLY;
  private readonly findings: Finding[] = [];
  private readonly recoveries: number[] = [];
  private points = 0;

  /** One point with its audit. */
  add({ tally, findings }: Audit, recoveryMs?: number): void {
    this.points++;
    this.tally = sumTallies(this.tally, tally);
    this.findings.push(...findings);
    if (recoveryMs !== undefined) this.recoveries.push(recoveryMs);
  }

  /** Something that is wrong, found outside of an audit. */
  find(finding: Finding): void {
    this.findings.push(finding);
  }

  /** @param last the counts of what is open, looked at once more when all points were through */
  report(note: string, last: Partial<Tally> = {}): FaultReport {
    const { points, tally, findings, recoveries } = this;
    return { points, tally: { ...tally, ...last }, findings, recoveriesMs: recoveries, note };
  }
}
