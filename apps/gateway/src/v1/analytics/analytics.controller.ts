import { Controller, Get, Query } from '@nestjs/common';
import type { DeliveryReport, TemplateReport, UsageReport } from '@switchboard/contracts/analytics/http';
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
  usage(
    @Principal() principal: Principal,
    @MessagesPerMonth() messagesPerMonth: MessagesPerMonth,
    @Query() query: ReportQuery,
  ): Promise<UsageReport> {
    return this.reports.usage(principal, query, messagesPerMonth);
  }

  @Get('delivery')
  @Declare({ ...common, docs: deliveryDocs })
  delivery(@Principal() principal: Principal, @Query() query: ReportQuery): Promise<DeliveryReport> {
    return this.reports.delivery(principal, query);
  }

  @Get('templates')
  @Declare({ ...common, docs: templateUseDocs })
  templates(@Principal() principal: Principal, @Query() query: ReportQuery): Promise<TemplateReport> {
    return this.reports.templates(principal, query);
  }
}
