import { Controller, Inject } from '@nestjs/common';
import { usageReportRpc, type MeasuredUsage, type ReportRequest } from '@switchboard/contracts/analytics/rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { CLOCK, type Clock } from '@switchboard/platform';
import { rangeOf } from '../range/range.policy.js';
import { reportOf } from '../rollup/report.policy.js';
import { ReportTurns } from '../rollup/report-turns.js';
import { RollupRepository } from '../rollup/rollup.repository.js';
import { usageFiguresOf } from './usage-figures.policy.js';

/** Answers `rpc.analytics.get-usage`. */
@Controller()
export class ReportUsageHandler {
  constructor(
    private readonly rollup: RollupRepository,
    private readonly turns: ReportTurns,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Requests belong to no channel: a filter by channel leaves messages alone. @throws as its definition says */
  @RpcHandler(usageReportRpc)
  async get(call: RpcCall<ReportRequest>): Promise<MeasuredUsage> {
    return this.turns.run(call, () => this.report(call));
  }

  private async report({ principal: { organizationId }, request }: RpcCall<ReportRequest>): Promise<MeasuredUsage> {
    const range = rangeOf(request, new Date(this.clock.now()));
    const { bounds } = range;
    const channelId = request.messagingChannelId;
    const rows = await Promise.all([
      this.rollup.read({ organizationId, reports: ['messages'], bounds, channelId }),
      this.rollup.read({ organizationId, reports: ['requests'], bounds, channelId: null }),
    ]);
    return reportOf(request, range, rows.flat(), usageFiguresOf);
  }
}
