import { Controller, Inject } from '@nestjs/common';
import type { DeliveryReport } from '@switchboard/contracts/analytics/http';
import { deliveryReportRpc, type ReportRequest } from '@switchboard/contracts/analytics/rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { CLOCK, type Clock } from '@switchboard/platform';
import { rangeOf } from '../range/range.policy.js';
import { reportOf } from '../rollup/report.policy.js';
import { ReportTurns } from '../rollup/report-turns.js';
import { RollupRepository } from '../rollup/rollup.repository.js';
import { deliveryFiguresOf } from './delivery-figures.policy.js';

/** Answers `rpc.analytics.get-delivery`. */
@Controller()
export class ReportDeliveryHandler {
  constructor(
    private readonly rollup: RollupRepository,
    private readonly turns: ReportTurns,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws VALIDATION_FAILED for a range that is none, or too long */
  @RpcHandler(deliveryReportRpc)
  async get(call: RpcCall<ReportRequest>): Promise<DeliveryReport> {
    return this.turns.run(call, () => this.report(call));
  }

  private async report({ principal: { organizationId }, request }: RpcCall<ReportRequest>): Promise<DeliveryReport> {
    const range = rangeOf(request, new Date(this.clock.now()));
    const rows = await this.rollup.read({
      organizationId,
      reports: ['messages', 'failures', 'delivered-after', 'read-after'],
      bounds: range.bounds,
      channelId: request.messagingChannelId,
    });
    return reportOf(request, range, rows, deliveryFiguresOf);
  }
}
