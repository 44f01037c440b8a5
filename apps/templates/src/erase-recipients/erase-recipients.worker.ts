import { Inject, Injectable } from '@nestjs/common';
import { templatesErasuresConsumer } from '@switchboard/contracts/consumers';
import { RpcClient } from '@switchboard/nats';
import {
  EraseSignal,
  ErasuresConsumer,
  ErasureWorker,
  inSlices,
  LOG,
  PLATFORM,
  remoteErasureBook,
  remoteForeignLines,
  type ErasureTarget,
  type Log,
  type Platform,
} from '@switchboard/platform';
import { Database } from '@switchboard/postgres';
import { TouchedJobs } from '../job/touched-jobs.js';
import { LaneClient } from '../lane/lane.client.js';
import {
  eraseRecipients,
  findRecipients,
  overwriteStaged,
  type RecipientCursor,
} from './erased-recipient.repository.js';

/** Notes contacts whose recipients are to be overwritten. */
@Injectable()
export class RecipientErasuresConsumer extends ErasuresConsumer {
  constructor(@Inject(PLATFORM) platform: Platform, rpc: RpcClient, signal: EraseSignal) {
    super(platform, { consumer: templatesErasuresConsumer, book: remoteErasureBook(rpc, 'templates'), signal });
  }
}

/** Recipients that are looked at in one statement. */
const SLICE_MAX = 5_000;

/**
 * Overwrites the recipients that erased contacts are, of jobs that were accepted before: numbers, variables, references and
 * metadata. One that is queued still is SKIPPED `ERASED`, and its quota given back; of a batch that is being staged as soon as that is
 * a job.
 */
@Injectable()
export class EraseRecipientsWorker extends ErasureWorker {
  constructor(
    database: Database,
    rpc: RpcClient,
    private readonly lanes: LaneClient,
    private readonly touched: TouchedJobs,
    signal: EraseSignal,
    @Inject(LOG) log: Log,
  ) {
    super({ database, book: remoteErasureBook(rpc, 'templates'), foreignLines: remoteForeignLines(rpc), log, signal });
  }

  protected override async erase(target: ErasureTarget): Promise<boolean> {
    let isWhole = true;
    await inSlices<RecipientCursor>({ jobId: '', index: -1 }, SLICE_MAX, async (behind) => {
      const slice = await findRecipients(this.database, target, behind, SLICE_MAX);
      for (const [jobId, recipients] of Map.groupBy(slice.found, (recipient) => recipient.jobId)) {
        if (!slice.accepted.includes(jobId)) {
          await overwriteStaged(this.database, target.organizationId, recipients);
          isWhole = false;
          continue;
        }
        const queued = recipients.filter(({ isQueued }) => isQueued).map(({ index }) => index);
        // Before they are skipped: a repetition finds them no more. Once for each, and never for one that has begun.
        if (queued.length > 0) await this.lanes.release(target.organizationId, jobId, queued);
        this.touched.note(await eraseRecipients(this.database, target.organizationId, recipients));
      }
      await target.keepOn();
      return slice;
    });
    return isWhole;
  }
}
