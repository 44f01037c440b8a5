import { Controller, Get, Headers, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { acceptsCsv } from '../../analytics/accepts-csv.policy.js';
import { answerJson } from '../../analytics/answer-json.js';
import { csvOf, type TabularReport } from '../../analytics/report-csv.policy.js';
import { deliveryDocs, templateUseDocs, usageDocs, withCsv } from '../../analytics/report.docs.js';
import { ReportQuery } from '../../analytics/report.query.js';
import { Reports } from '../../analytics/reports.js';
import { MessagesPerMonth, Principal } from '../../http/request.decorator.js';
import { Declare } from '../../http/route-declaration.js';

const common = { access: 'session', roles: null, paidScope: 'analytics:read', errors: [] } as const;

/** `/app/api/analytics`: the reports of `/v1/analytics`, for every member, as JSON or CSV. */
@Controller('app/api/analytics')
export class AppAnalyticsController {
  constructor(private readonly reports: Reports) {}

  @Get('usage')
  @Declare({ ...common, docs: withCsv(usageDocs) })
  async usage(
    @Principal() principal: Principal,
    @MessagesPerMonth() messagesPerMonth: MessagesPerMonth,
    @Query() query: ReportQuery,
    @Headers('accept') accept: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    return asAccepted(accept, reply, await this.reports.usage(principal, query, messagesPerMonth));
  }

  @Get('delivery')
  @Declare({ ...common, docs: withCsv(deliveryDocs) })
  async delivery(
    @Principal() principal: Principal,
    @Query() query: ReportQuery,
    @Headers('accept') accept: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    return asAccepted(accept, reply, await this.reports.delivery(principal, query));
  }

  @Get('templates')
  @Declare({ ...common, docs: withCsv(templateUseDocs) })
  async templates(
    @Principal() principal: Principal,
    @Query() query: ReportQuery,
    @Headers('accept') accept: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    return this.reports.templates(principal, query, (report) => asAccepted(accept, reply, report));
  }
}

/** CSV where the caller prefers it, else JSON. */
async function asAccepted(accept = '', reply: FastifyReply, report: TabularReport): Promise<string> {
  reply.header('vary', 'accept');
  if (!acceptsCsv(accept)) return answerJson(reply, report);
  reply.type('text/csv; charset=utf-8; header=present');
  return csvOf(report);
}
