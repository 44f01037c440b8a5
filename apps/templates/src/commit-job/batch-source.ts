import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { BulkRecipient, CommitJobRequest } from '@switchboard/contracts/templates/job-rpc';
import type { Database, Transaction } from '@switchboard/postgres';
import { readNumbers, readStagedNumbers, skipDuplicates, skipStagedDuplicates } from '../recipient/batch-numbers.js';
import { insertRecipients, unreadIndexes } from '../recipient/insert-recipients.js';
import { groupByShape, type ShapeGroup } from '../recipient/variable-shape.policy.js';
import { areComplete, listChunks } from '../staging/staged-chunk.repository.js';
import { endStaging, takeStaging } from '../staging/staged-job.repository.js';

/** Recipients of a batch, staged before or taken along. */
export interface BatchSource {
  readonly shapes: readonly ShapeGroup[];
  /** Reads what needs the channel's region. @returns indexes of what is no number, ascending */
  readNumbers(region: string): Promise<readonly number[]>;
  /** Sets apart the recipients whose subscriber comes earlier in the batch. @returns how many there are */
  skipDuplicates(): Promise<number>;
  /** Makes the recipients those of the job, in its transaction. @returns false when they are gone */
  store(tx: Transaction): Promise<boolean>;
}

/** @throws SERVICE_UNAVAILABLE when a chunk is missing, as after a crash: the caller sends the batch again */
export async function openBatch(
  database: Database,
  organizationId: string,
  request: CommitJobRequest,
): Promise<BatchSource> {
  const { jobId, recipients, total } = request;
  if (recipients !== null) return new GivenBatch(organizationId, jobId, recipients);
  const chunks = await listChunks(database, organizationId, jobId);
  if (!areComplete(chunks, total)) throw new AppError(serviceErrors.SERVICE_UNAVAILABLE);
  const unread = chunks.flatMap((chunk) => chunk.unread);
  const shapes = chunks.flatMap((chunk) => chunk.shapes);
  return new StagedBatch(database, { organizationId, jobId }, shapes, unread);
}

/** A batch whose rows are there already. */
class StagedBatch implements BatchSource {
  constructor(
    private readonly database: Database,
    private readonly batch: { readonly organizationId: string; readonly jobId: string },
    readonly shapes: readonly ShapeGroup[],
    private readonly unread: readonly number[],
  ) {}

  async readNumbers(region: string): Promise<readonly number[]> {
    return readStagedNumbers(this.database, this.batch, this.unread, region);
  }

  async skipDuplicates(): Promise<number> {
    return skipStagedDuplicates(this.database, this.batch);
  }

  async store(tx: Transaction): Promise<boolean> {
    const { organizationId, jobId } = this.batch;
    if (!(await takeStaging(tx, organizationId, jobId))) return false;
    endStaging(tx, organizationId, jobId);
    return true;
  }
}

/** A batch of one chunk, whose rows are written with the job. */
class GivenBatch implements BatchSource {
  readonly shapes: readonly ShapeGroup[];
  private duplicates: number[] = [];

  constructor(
    private readonly organizationId: string,
    private readonly jobId: string,
    private recipients: readonly BulkRecipient[],
  ) {
    this.shapes = groupByShape(recipients, 0);
  }

  async readNumbers(region: string): Promise<readonly number[]> {
    const unread = unreadIndexes(this.recipients, 0).map((index) => ({ index, to: this.recipients[index]?.to ?? '' }));
    const { read, invalid } = await readNumbers(unread, region);
    const byIndex = new Map(read.map((number) => [number.index, number]));
    this.recipients = this.recipients.map((recipient, index) => {
      const number = byIndex.get(index);
      return number ? { ...recipient, phone: { e164: number.phone, subscriber: number.subscriber } } : recipient;
    });
    return invalid;
  }

  async skipDuplicates(): Promise<number> {
    const seen = new Set<string>();
    this.duplicates = this.recipients.flatMap(({ phone, to }, index) => {
      const subscriber = phone?.subscriber ?? to;
      if (seen.has(subscriber)) return [index];
      seen.add(subscriber);
      return [];
    });
    return this.duplicates.length;
  }

  async store(tx: Transaction): Promise<boolean> {
    insertRecipients(tx, this.organizationId, this.jobId, 0, this.recipients);
    const batch = { organizationId: this.organizationId, jobId: this.jobId };
    if (this.duplicates.length > 0) tx.atCommit(...skipDuplicates(batch, this.duplicates));
    return true;
  }
}
