import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import { jobErrors } from '@switchboard/contracts/templates/job-errors';
import type { CommitJobRequest } from '@switchboard/contracts/templates/job-rpc';
import type { Budget } from '@switchboard/nats';
import { CLOCK, LOG, type Clock, type Log } from '@switchboard/platform';
import { Database, OutcomeUnknown } from '@switchboard/postgres';
import { keepKey } from '../job-key/job-key.repository.js';
import { LaneClient } from '../lane/lane.client.js';
import { faultSentence, findShapeFaults } from '../recipient/variable-shape.policy.js';
import { templateFiller } from '../template/fill-template.policy.js';
import { openBatch, type BatchSource } from './batch-source.js';
import { BatchTargets, checkSchedule, type BatchTarget } from './batch-target.js';
import { quotaMonthOf, reservedOf, storeJob, type JudgedBatch } from './store-job.js';

const FAULTS_NAMED_MAX = 5;
const NO_NUMBER = 'must be a phone number, E.164 preferred';

/** Judges a batch and makes it a job. */
@Injectable()
export class AcceptBatch {
  constructor(
    private readonly database: Database,
    private readonly targets: BatchTargets,
    private readonly lanes: LaneClient,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /**
   * Every check in the order of the contract, then quota, then one transaction for all that makes it a job. The key of the
   * batch is claimed by the caller.
   *
   * @throws the refusals of `commit-job`; OutcomeUnknown when the job may be there
   */
  async accept(organizationId: string, request: CommitJobRequest, budget: Budget): Promise<void> {
    checkSchedule(request.scheduledAt, this.clock.now());
    const source = await openBatch(this.database, organizationId, request);
    const target = await this.targets.find(organizationId, request);
    await this.checkRecipients(source, target);
    const batch = { organizationId, request, target, duplicates: await source.skipDuplicates() };
    await this.reserve(batch, budget);
    try {
      await this.store(batch, source);
    } catch (error) {
      if (!(error instanceof OutcomeUnknown)) await this.release(batch);
      throw error;
    }
  }

  private async checkRecipients(source: BatchSource, { channel, template }: BatchTarget): Promise<void> {
    const invalid = await source.readNumbers(channel.defaultRegion);
    const phones = invalid.slice(0, FAULTS_NAMED_MAX).map((index) => ({ index, field: 'to', why: NO_NUMBER }));
    const fill = templateFiller(template.components, template.parameterFormat);
    const found = findShapeFaults(source.shapes, (variables) => {
      const filled = fill(variables);
      return 'fault' in filled ? filled.fault : null;
    });
    const variables = found.faults.map((fault) => ({ ...fault, field: 'variables' }));
    const faults = [...phones, ...variables].toSorted((one, other) => one.index - other.index);
    if (faults.length === 0) return;
    const hasMore = found.hasMore || invalid.length + variables.length > FAULTS_NAMED_MAX;
    // All are named, whatever their fault; numbers come first in the order of the checks.
    const code = invalid.length > 0 ? messagingErrors.INVALID_PHONE : jobErrors.TEMPLATE_VARIABLES_MISMATCH;
    throw new AppError(code, faultSentence(faults.slice(0, FAULTS_NAMED_MAX), hasMore));
  }

  /** @throws PAYMENT_REQUIRED */
  private async reserve(batch: JudgedBatch, budget: Budget): Promise<void> {
    const { organizationId, request } = batch;
    const count = reservedOf(batch);
    const limit = request.messagesPerMonth ?? null;
    const wanted = { jobId: request.jobId, month: quotaMonthOf(request.jobId), count, limit };
    const { reserved, left } = await this.lanes.reserve(organizationId, wanted, budget);
    if (reserved) return;
    const numbers = [count, left ?? 0, limit ?? 0].map((number) => number.toLocaleString('en-US'));
    const sentence = `The batch needs ${numbers[0]} ${count === 1 ? 'message' : 'messages'}; ${numbers[1]} of the monthly quota of ${numbers[2]} ${left === 1 ? 'is' : 'are'} left`;
    throw new AppError(serviceErrors.PAYMENT_REQUIRED, sentence);
  }

  private async store(batch: JudgedBatch, source: BatchSource): Promise<void> {
    const { organizationId, request } = batch;
    await this.database.transaction(async (tx) => {
      const isNew = await storeJob(tx, batch);
      // The same batch was asked for twice at once, and the other request was first.
      if (!isNew) return;
      const isKept = await keepKey(tx, { organizationId, ...request });
      // What took longer than the claim, or was given up meanwhile, starts from the beginning.
      if (!isKept || !(await source.store(tx))) throw new AppError(serviceErrors.SERVICE_UNAVAILABLE);
    });
  }

  /** A reservation that is not given back here is given back by messaging, which finds no job. */
  private async release({ organizationId, request: { jobId } }: JudgedBatch): Promise<void> {
    await this.lanes.release(organizationId, jobId, null).catch((error: unknown) => {
      this.log.error('job.quota-not-released', error, { organizationId, jobId });
    });
  }
}
