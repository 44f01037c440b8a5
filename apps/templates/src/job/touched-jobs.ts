import { Injectable } from '@nestjs/common';
import { WakeSignal } from '@switchboard/timing';
import type { StatusChange } from './job-count.js';
import type { JobKeyOf } from './job-flow.js';

/** Jobs of which a recipient has left QUEUED in this process: they may be complete. */
@Injectable()
export class TouchedJobs {
  /** Wakes whoever completes jobs. */
  readonly signal = new WakeSignal();
  private jobs = new Map<string, JobKeyOf>();

  /** Notes the jobs of changes; to be called after their commit. */
  note(changes: readonly StatusChange[]): void {
    for (const { organizationId, jobId, from } of changes) {
      if (from === 'QUEUED') this.jobs.set(`${organizationId} ${jobId}`, { organizationId, jobId });
    }
    if (this.jobs.size > 0) this.signal.wake();
  }

  /** The jobs that were noted since the last call. */
  take(): JobKeyOf[] {
    const taken = [...this.jobs.values()];
    this.jobs = new Map();
    return taken;
  }
}
