import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { CommitJobRequest, KeyedJob } from '@switchboard/contracts/templates/job-rpc';
import type { Budget } from '@switchboard/nats';
import { LOG, type Log } from '@switchboard/platform';
import { Database, OutcomeUnknown } from '@switchboard/postgres';
import { jittered, pause, unlessAborted } from '@switchboard/timing';
import { FeedSignal } from '../job/feed-signal.js';
import { KeyedJobs, replayOf, type JobOfKey } from '../job-key/keyed-jobs.js';
import { claimKey, freeKey } from '../job-key/job-key.repository.js';
import { StagedJobRepository } from '../staging/staged-job.repository.js';
import { AcceptBatch } from './accept-batch.js';

/** Before a key that another replica has claimed is looked at again. */
const CLAIMED_PAUSE_MS = 50;

/** Makes a batch a job, once for its key. */
@Injectable()
export class CommitJob {
  /** Requests under way in this process by key: twins wait for the first of them here, and its job is theirs too. */
  private readonly underway = new Map<string, Promise<JobOfKey | null>>();

  constructor(
    private readonly database: Database,
    private readonly keyed: KeyedJobs,
    private readonly staged: StagedJobRepository,
    private readonly acceptBatch: AcceptBatch,
    private readonly signal: FeedSignal,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** @throws the refusals of `commit-job`; SERVICE_UNAVAILABLE when the first of its twins outlasts the budget */
  async commit(organizationId: string, request: CommitJobRequest, budget: Budget): Promise<KeyedJob> {
    const { key, jobId, bodySha256, recipients } = request;
    const name = `${organizationId} ${key.kind} ${key.sha256}`;
    for (;;) {
      budget.signal.throwIfAborted();
      const first = this.underway.get(name);
      const made = first
        ? await unlessAborted(first, budget.signal)
        : await this.lead(name, organizationId, request, budget);
      // Refused, or out of time: the next of the twins leads.
      if (!made) continue;
      if (made.job.id === jobId) return { job: made.job, isReplay: false, isMismatch: false };
      if (recipients === null) await this.staged.abandon(organizationId, jobId);
      return replayOf(made, key, bodySha256);
    }
  }

  /** The first of the twins in this process, until there is a job or a refusal. */
  private async lead(
    name: string,
    organizationId: string,
    request: CommitJobRequest,
    budget: Budget,
  ): Promise<JobOfKey> {
    const turn = Promise.withResolvers<JobOfKey | null>();
    this.underway.set(name, turn.promise);
    let made: JobOfKey | null = null;
    try {
      for (;;) {
        made = (await this.find(organizationId, request)) ?? (await this.attempt(organizationId, request, budget));
        if (made) return made;
        await pause(jittered(CLAIMED_PAUSE_MS), budget.signal);
        budget.signal.throwIfAborted();
      }
    } finally {
      this.underway.delete(name);
      turn.resolve(made);
    }
  }

  private async find(organizationId: string, request: CommitJobRequest): Promise<JobOfKey | null> {
    const own = await this.keyed.findOwn(organizationId, request.jobId);
    if (own) return { job: own, bodySha256: request.bodySha256 };
    return this.keyed.find(organizationId, request.key);
  }

  /** @returns null while another replica has the key */
  private async attempt(organizationId: string, request: CommitJobRequest, budget: Budget): Promise<JobOfKey | null> {
    const { jobId, total, bodySha256 } = request;
    const startedMs = performance.now();
    const claim = { organizationId, ...request };
    if (!(await claimKey(this.database, claim))) return null;
    try {
      await this.acceptBatch.accept(organizationId, request, budget);
    } catch (error) {
      // A commit of unknown outcome keeps its claim until the same batch asks again, or the claim ends.
      if (!(error instanceof OutcomeUnknown)) await freeKey(this.database, claim);
      if (error instanceof AppError && error.status < 500) await this.staged.abandon(organizationId, jobId);
      throw error;
    }
    this.signal.wake();
    const job = await this.keyed.findOwn(organizationId, jobId);
    if (!job) throw new Error('a job that was committed is not there');
    this.log.info('job.accepted', { organizationId, jobId, total, durationMs: performance.now() - startedMs });
    return { job, bodySha256 };
  }
}
