import { Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { Page } from '@switchboard/contracts/grammar/page';
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
import { IdempotencyKey, MessagesPerMonth, Principal } from '../../http/request.decorator.js';
import { Declare, type SharedRoute } from '../../http/route-declaration.js';

const shared = { access: 'key-or-session', cost: 1 } as const satisfies Partial<SharedRoute>;
const jobRoute = { ...shared, errors: [jobErrors.JOB_NOT_FOUND] } as const;
const control = {
  ...jobRoute,
  scope: 'templates:send',
  payment: 'any-plan',
  errors: [jobErrors.JOB_NOT_FOUND, serviceErrors.INVALID_TRANSITION],
} as const;

/** `/v1/templates/send`, and `/app/api/templates/send` for every member. Source: docs/api-behaviour.md#bulk-sends. */
@Controller(['v1/templates/send', 'app/api/templates/send'])
export class BulkSendsController {
  constructor(private readonly bulkSends: BulkSends) {}

  @Post()
  @Declare({
    ...shared,
    scope: 'templates:send',
    paidScope: 'templates:send',
    errors: sendTemplateErrors,
    takesIdempotencyKey: true,
    streamedBodyBytesMax: BULK_BYTES_MAX,
    docs: sendTemplateDocs,
  })
  send(
    @Principal() principal: Principal,
    @MessagesPerMonth() messagesPerMonth: MessagesPerMonth,
    @IdempotencyKey() idempotencyKey: IdempotencyKey,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AcceptedJob> {
    return this.bulkSends.send(principal, { idempotencyKey, messagesPerMonth }, reply);
  }

  @Get()
  @Declare({ ...shared, scope: 'templates:read', errors: [], docs: listJobsDocs })
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
