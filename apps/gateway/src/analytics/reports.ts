import { Injectable } from '@nestjs/common';
import type { DeliveryReport, TemplateReport, UsageReport } from '@switchboard/contracts/analytics/http';
import { deliveryReportRpc, templateReportRpc, usageReportRpc } from '@switchboard/contracts/analytics/rpc';
import type { Principal } from '@switchboard/contracts/grammar/principal';
import { getQuotaRpc } from '@switchboard/contracts/messaging/rpc';
import { RpcClient } from '@switchboard/nats';
import { LargeReports } from './large-reports.js';
import { quotaFiguresOf } from './quota-figures.js';
import { reportRequestOf, type ReportQuery } from './report.query.js';

/** The reports of both APIs. */
@Injectable()
export class Reports {
  constructor(
    private readonly rpc: RpcClient,
    private readonly large: LargeReports,
  ) {}

  /** @param messagesPerMonth what the organization may send in a month */
  async usage(principal: Principal, query: ReportQuery, messagesPerMonth: number): Promise<UsageReport> {
    const [report, quota] = await Promise.all([
      this.rpc.call(usageReportRpc, principal, reportRequestOf(query)),
      this.rpc.call(getQuotaRpc, principal, {}),
    ]);
    return { ...report, quota: quotaFiguresOf(quota, messagesPerMonth) };
  }

  delivery(principal: Principal, query: ReportQuery): Promise<DeliveryReport> {
    return this.rpc.call(deliveryReportRpc, principal, reportRequestOf(query));
  }

  /** One that may be large. @param answer makes the text that is sent of it */
  templates(
    principal: Principal,
    query: ReportQuery,
    answer: (report: TemplateReport) => Promise<string>,
  ): Promise<string> {
    const make = async (): Promise<string> =>
      answer(await this.rpc.call(templateReportRpc, principal, reportRequestOf(query)));
    return this.large.run(principal.organizationId, make);
  }
}
