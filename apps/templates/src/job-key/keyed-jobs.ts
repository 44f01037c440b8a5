import { Injectable } from '@nestjs/common';
import type { AcceptedJob } from '@switchboard/contracts/templates/job-http';
import type { JobKey, KeyedJob } from '@switchboard/contracts/templates/job-rpc';
import { Database } from '@switchboard/postgres';
import { acceptedJob } from '../job/job-view.js';
import { JobRepository } from '../job/job.repository.js';
import { findKey } from './job-key.repository.js';

/** A job and the body that it came in. */
export interface JobOfKey {
  readonly job: AcceptedJob;
  /** In hexadecimal. */
  readonly bodySha256: string;
}

/** The answer to a request whose key has another request's job. */
export function replayOf({ job, bodySha256 }: JobOfKey, key: JobKey, ownBodySha256: string): KeyedJob {
  return { job, isReplay: true, isMismatch: key.kind === 'explicit' && bodySha256 !== ownBodySha256 };
}

/** Finds the job that a request has already. */
@Injectable()
export class KeyedJobs {
  constructor(
    private readonly database: Database,
    private readonly jobs: JobRepository,
  ) {}

  /** The job of a key, a cancelled one too; null when the key is free or its batch is under way. */
  async find(organizationId: string, key: JobKey): Promise<JobOfKey | null> {
    const kept = await findKey(this.database, organizationId, key);
    const job = kept && (await this.jobs.find(organizationId, kept.jobId));
    return job && { job: acceptedJob(job), bodySha256: kept.bodySha256 };
  }

  /** The request's own job, when its former answer was lost. */
  async findOwn(organizationId: string, jobId: string): Promise<AcceptedJob | null> {
    const job = await this.jobs.find(organizationId, jobId);
    return job && acceptedJob(job);
  }
}
