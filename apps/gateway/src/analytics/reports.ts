import { Inject, Injectable } from '@nestjs/common';
import type { DeliveryReport, TemplateReport, UsageReport } from '@switchboard/contracts/analytics/http';
import { deliveryReportRpc, templateReportRpc, usageReportRpc } from '@switchboard/contracts/analytics/rpc';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { Principal } from '@switchboard/contracts/grammar/principal';
import { getQuotaRpc } from '@switchboard/contracts/messaging/rpc';
import { RpcClient } from '@switchboard/nats';
import { TenantTurns } from '@switchboard/timing';
import { quotaFiguresOf } from './quota-figures.js';
import { reportRequestOf, type ReportQuery } from './report.query.js';

/**
 * Of reports that may be tens of megabytes: such a one takes some 200 MB while it is read and written, and a few organizations at once
 * would end the process, and with it the requests of all.
 */
const LARGE_AT_ONCE_MAX = 2;
const TURN_WITHIN_MS = 5_000;

/** The reports of both APIs. */
@Injectable()
export class Reports {
  private readonly large = new TenantTurns({
    eachMax: 1,
    allMax: LARGE_AT_ONCE_MAX,
    wait: {
      maxMs: TURN_WITHIN_MS,
      late: () => new AppError(serviceErrors.SERVICE_UNAVAILABLE, undefined, { retryAfterSeconds: 1 }),
    },
  });

  constructor(@Inject(RpcClient) private readonly rpc: Pick<RpcClient, 'call'>) {}

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

  /** @param answer makes the text that is sent of it @throws SERVICE_UNAVAILABLE when there was no turn within 5 s; as `answer` */
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
