import { Controller, Get, HttpCode, Inject, Param, Post, Query, Res } from '@nestjs/common';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
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
import { IdempotencyKey, Principal } from '../../http/request.decorators.js';
import { Declare, type SessionRoute } from '../../http/route-declaration.js';
import { PEOPLE, type People } from '../../identity/people.contract.js';
import { paidQuota } from '../paid-quota.js';

const member = { access: 'session', roles: null } as const satisfies Partial<SessionRoute>;
const jobRoute = { ...member, errors: [jobErrors.JOB_NOT_FOUND] } as const;
const control = { ...member, errors: [jobErrors.JOB_NOT_FOUND, messagingErrors.INVALID_TRANSITION] } as const;

/** `/app/api/templates/send`: the twins of `/v1/templates/send`, for every member. Source: docs/api-behaviour.md#bulk-sends. */
@Controller('app/api/templates/send')
export class AppBulkSendsController {
  constructor(
    private readonly bulkSends: BulkSends,
    @Inject(PEOPLE) private readonly people: Pick<People, 'paidFor'>,
  ) {}

  @Post()
  @Declare({
    ...member,
    errors: [...sendTemplateErrors, serviceErrors.PAYMENT_REQUIRED],
    takesIdempotencyKey: true,
    streamedBodyBytesMax: BULK_BYTES_MAX,
    docs: sendTemplateDocs,
  })
  async send(
    @Principal() principal: Principal,
    @IdempotencyKey() idempotencyKey: IdempotencyKey,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AcceptedJob> {
    const messagesPerMonth = await paidQuota(this.people, principal.organizationId, 'templates:send');
    const jobsPath = '/app/api/templates/send';
    return this.bulkSends.send(principal, { idempotencyKey, messagesPerMonth, jobsPath }, reply);
  }

  @Get()
  @Declare({ ...member, errors: [], docs: listJobsDocs })
  list(@Principal() principal: Principal, @Query() query: PageQuery): Promise<Page<JobView>> {
    return this.bulkSends.list(principal, query);
  }

  @Get(':id')
  @Declare({ ...jobRoute, docs: getJobDocs })
  get(@Principal() principal: Principal, @Param('id') id: string): Promise<JobView> {
    return this.bulkSends.get(principal, id);
  }

  @Get(':id/recipients')
  @Declare({ ...jobRoute, docs: listRecipientsDocs })
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
