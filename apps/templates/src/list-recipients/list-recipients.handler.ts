import { Controller } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { Page } from '@switchboard/contracts/grammar/page';
import { jobErrors } from '@switchboard/contracts/templates/job-errors';
import type { RecipientView } from '@switchboard/contracts/templates/job-http';
import { listRecipientsRpc, type ListRecipientsRequest } from '@switchboard/contracts/templates/job-rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { readKeysetPage } from '@switchboard/postgres';
import { indexBehind, recipientCursor } from './recipient-cursor.policy.js';
import { RecipientPageRepository } from './recipient-page.repository.js';

/** Answers `rpc.templates.list-recipients`. */
@Controller()
export class ListRecipientsHandler {
  constructor(private readonly recipients: RecipientPageRepository) {}

  /** @throws JOB_NOT_FOUND for another organization's job too */
  @RpcHandler(listRecipientsRpc)
  async list({ principal, request }: RpcCall<ListRecipientsRequest>): Promise<Page<RecipientView>> {
    const { organizationId } = principal;
    const { jobId, limit, cursor, status } = request;
    const behind = indexBehind(cursor);
    const page = await readKeysetPage(
      limit,
      (rowsMax) => this.recipients.list(organizationId, jobId, { behind, status, limit: rowsMax }),
      ({ index }) => recipientCursor(index),
      (recipient) => recipient,
    );
    // A recipient shows that its job is there: only an empty page has to ask.
    if (page.items.length === 0 && !(await this.recipients.hasJob(organizationId, jobId))) {
      throw new AppError(jobErrors.JOB_NOT_FOUND);
    }
    return page;
  }
}
