import { Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import type { Page } from '@switchboard/contracts/grammar/page';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import { jobErrors } from '@switchboard/contracts/templates/job-errors';
import type { AcceptedJob, JobView, RecipientView } from '@switchboard/contracts/templates/job-http';
import type { FastifyReply } from 'fastify';
import {
  cancelJobDocs,
  getJobDocs,
  listJobsDocs,
  listRecipientsDocs,
  pauseJobDocs,
  resumeJobDocs,
  sendTemplateDocs,
  sendTemplateErrors,
} from '../../bulk-intake/bulk-send.docs.js';
import { BulkSends } from '../../bulk-intake/bulk-sends.js';
import { ListRecipientsQuery } from '../../bulk-intake/list-recipients.query.js';
import { BULK_BYTES_MAX } from '../../bulk-intake/take-bulk-send.js';
import { PageQuery } from '../../http/input/page.query.js';
import { Admitted, IdempotencyKey, Principal } from '../../http/request.decorators.js';
import { Declare, type KeyRoute } from '../../http/route-declaration.js';

const jobRoute = { access: 'key', errors: [jobErrors.JOB_NOT_FOUND], cost: 1 } as const satisfies Partial<KeyRoute>;
const control = {
  ...jobRoute,
  scope: 'templates:send',
  errors: [jobErrors.JOB_NOT_FOUND, messagingErrors.INVALID_TRANSITION],
} as const;

/** `/v1/templates/send`. Source: docs/api-behaviour.md#bulk-sends. */
@Controller('v1/templates/send')
export class BulkSendsController {
  constructor(private readonly bulkSends: BulkSends) {}

  @Post()
  @Declare({
    access: 'key',
    scope: 'templates:send',
    errors: sendTemplateErrors,
    cost: 1,
    takesIdempotencyKey: true,
    streamedBodyBytesMax: BULK_BYTES_MAX,
    docs: sendTemplateDocs,
  })
  send(
    @Principal() principal: Principal,
    @Admitted() { messagesPerMonth }: Admitted,
    @IdempotencyKey() idempotencyKey: IdempotencyKey,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AcceptedJob> {
    const jobsPath = '/v1/templates/send';
    return this.bulkSends.send(principal, { idempotencyKey, messagesPerMonth, jobsPath }, reply);
  }

  @Get()
  @Declare({ access: 'key', scope: 'templates:read', errors: [], cost: 1, docs: listJobsDocs })
  list(@Principal() principal: Principal, @Query() query: PageQuery): Promise<Page<JobView>> {
    return this.bulkSends.list(principal, query);
  }

  @Get(':id')
  @Declare({ ...jobRoute, scope: 'templates:read', docs: getJobDocs })
  get(@Principal() principal: Principal, @Param('id') id: string): Promise<JobView> {
    return this.bulkSends.get(principal, id);
  }

  @Get(':id/recipients')
  @Declare({ ...jobRoute, scope: 'templates:read', docs: listRecipientsDocs })
  listRecipients(
    @Principal() principal: Principal,
    @Param('id') id: string,
    @Query() query: ListRecipientsQuery,
  ): Promise<Page<RecipientView>> {
    return this.bulkSends.listRecipients(principal, id, query);
  }

  @Post(':id/pause')
  @HttpCode(200)
  @Declare({ ...control, docs: pauseJobDocs })
  pause(@Principal() principal: Principal, @Param('id') id: string): Promise<JobView> {
    return this.bulkSends.control(principal, id, 'pause');
  }

  @Post(':id/resume')
  @HttpCode(200)
  @Declare({ ...control, docs: resumeJobDocs })
  resume(@Principal() principal: Principal, @Param('id') id: string): Promise<JobView> {
    return this.bulkSends.control(principal, id, 'resume');
  }

  @Post(':id/cancel')
  @HttpCode(200)
  @Declare({ ...control, docs: cancelJobDocs })
  cancel(@Principal() principal: Principal, @Param('id') id: string): Promise<JobView> {
    return this.bulkSends.control(principal, id, 'cancel');
  }
}
