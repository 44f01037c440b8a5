import { Controller } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { RpcRequestOf } from '@switchboard/contracts/grammar/define-rpc';
import { stageRecipientsRpc } from '@switchboard/contracts/templates/job-rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { Database } from '@switchboard/postgres';
import { insertRecipients, unreadIndexes } from '../recipient/insert-recipients.js';
import { groupByShape } from '../recipient/variable-shape.policy.js';
import { insertChunk } from '../staging/staged-chunk.repository.js';
import { holdStaging } from '../staging/staged-job.repository.js';

/** Answers `rpc.templates.stage-recipients`. */
@Controller()
export class StageRecipientsHandler {
  constructor(private readonly database: Database) {}

  /** @throws NOT_FOUND when the job has not begun or was given up */
  @RpcHandler(stageRecipientsRpc)
  async stage({
    principal,
    request,
  }: RpcCall<RpcRequestOf<typeof stageRecipientsRpc>>): Promise<Record<string, never>> {
    const { organizationId } = principal;
    const { jobId, firstIndex, recipients } = request;
    await this.database.transaction(async (tx) => {
      if (!(await holdStaging(tx, organizationId, jobId))) {
        throw new AppError(serviceErrors.NOT_FOUND, 'The batch is not being staged');
      }
      const chunk = {
        firstIndex,
        recipients: recipients.length,
        shapes: groupByShape(recipients, firstIndex),
        unread: unreadIndexes(recipients, firstIndex),
      };
      if (await insertChunk(tx, organizationId, jobId, chunk)) {
        insertRecipients(tx, organizationId, jobId, firstIndex, recipients);
      }
    });
    return {};
  }
}
