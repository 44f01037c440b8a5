import { Controller, Get, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { answerJson } from '../../analytics/answer-json.js';
import { deliveryDocs, templateUseDocs, usageDocs } from '../../analytics/report.docs.js';
import { ReportQuery } from '../../analytics/report.query.js';
import { Reports } from '../../analytics/reports.js';
import { MessagesPerMonth, Principal } from '../../http/request.decorator.js';
import { Declare } from '../../http/route-declaration.js';

const common = { access: 'key', scope: 'analytics:read', errors: [], cost: 1 } as const;

/** `/v1/analytics`. Source: docs/api-behaviour.md#analytics-reports. */
@Controller('v1/analytics')
export class AnalyticsController {
  constructor(private readonly reports: Reports) {}

  @Get('usage')
  @Declare({ ...common, docs: usageDocs })
  async usage(
    @Principal() principal: Principal,
    @MessagesPerMonth() messagesPerMonth: MessagesPerMonth,
    @Query() query: ReportQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    return answerJson(reply, await this.reports.usage(principal, query, messagesPerMonth));
  }

  @Get('delivery')
  @Declare({ ...common, docs: deliveryDocs })
  async delivery(
    @Principal() principal: Principal,
    @Query() query: ReportQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    return answerJson(reply, await this.reports.delivery(principal, query));
  }

  @Get('templates')
  @Declare({ ...common, docs: templateUseDocs })
  async templates(
    @Principal() principal: Principal,
    @Query() query: ReportQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    return this.reports.templates(principal, query, (report) => answerJson(reply, report));
  }
}
