import { Controller, Get, Inject, Query, Req, Res } from '@nestjs/common';
import type { DeliveryReport, TemplateReport, UsageReport } from '@switchboard/contracts/analytics/http';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { csvOf, type TabularReport } from '../../analytics/report-csv.policy.js';
import { deliveryDocs, templateUseDocs, usageDocs, withCsv } from '../../analytics/report.docs.js';
import { ReportQuery } from '../../analytics/report.query.js';
import { Reports } from '../../analytics/reports.js';
import { Principal } from '../../http/request.decorators.js';
import { Declare } from '../../http/route-declaration.js';
import { PEOPLE, type People } from '../../identity/people.contract.js';

const common = { access: 'session', roles: null, errors: [serviceErrors.PAYMENT_REQUIRED] } as const;

/** `/app/api/analytics`: the reports of `/v1/analytics`, for every member, as JSON or CSV. */
@Controller('app/api/analytics')
export class AppAnalyticsController {
  constructor(
    private readonly reports: Reports,
    @Inject(PEOPLE) private readonly people: Pick<People, 'paidFor'>,
  ) {}

  @Get('usage')
  @Declare({ ...common, docs: withCsv(usageDocs) })
  async usage(
    @Principal() principal: Principal,
    @Query() query: ReportQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<UsageReport | string> {
    const messagesPerMonth = await this.paidQuota(principal);
    return asAccepted(request, reply, await this.reports.usage(principal, query, messagesPerMonth));
  }

  @Get('delivery')
  @Declare({ ...common, docs: withCsv(deliveryDocs) })
  async delivery(
    @Principal() principal: Principal,
    @Query() query: ReportQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DeliveryReport | string> {
    await this.paidQuota(principal);
    return asAccepted(request, reply, await this.reports.delivery(principal, query));
  }

  @Get('templates')
  @Declare({ ...common, docs: withCsv(templateUseDocs) })
  async templates(
    @Principal() principal: Principal,
    @Query() query: ReportQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TemplateReport | string> {
    await this.paidQuota(principal);
    return asAccepted(request, reply, await this.reports.templates(principal, query));
  }

  /** The number of messages that the plan has in a month. @throws PAYMENT_REQUIRED for a plan without figures */
  private async paidQuota({ organizationId }: Principal): Promise<number> {
    const { refusal, messagesPerMonth } = await this.people.paidFor(organizationId, 'analytics:read');
    if (refusal !== null) throw new AppError(serviceErrors.PAYMENT_REQUIRED, refusal);
    return messagesPerMonth;
  }
}

/** JSON, unless CSV alone is named. */
function asAccepted<Report extends TabularReport>(
  { headers: { accept = '' } }: FastifyRequest,
  reply: FastifyReply,
  report: Report,
): Report | string {
  reply.header('vary', 'accept');
  if (!/(?:^|,)\s*text\/csv\b/i.test(accept) || /application\/json/i.test(accept)) return report;
  reply.type('text/csv; charset=utf-8; header=present');
  return csvOf(report);
}
