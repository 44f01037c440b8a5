import { Controller, Inject } from '@nestjs/common';
import type { TemplateReport } from '@switchboard/contracts/analytics/http';
import { templateReportRpc, type ReportRequest } from '@switchboard/contracts/analytics/rpc';
import { ANSWER_BYTES_MAX, RpcHandler, type RpcCall } from '@switchboard/nats';
import { CLOCK, type Clock } from '@switchboard/platform';
import { TemplateNameRepository } from '../fact/template-name.repository.js';
import { rangeOf } from '../range/range.policy.js';
import { boundedFigures, reportOf } from '../rollup/report.policy.js';
import { ReportTurns } from '../rollup/report-turns.js';
import { RollupRepository } from '../rollup/rollup.repository.js';
import { templateFiguresOf } from './template-figures.policy.js';

/** Answers `rpc.analytics.get-templates`. */
@Controller()
export class ReportTemplatesHandler {
  constructor(
    private readonly rollup: RollupRepository,
    private readonly names: TemplateNameRepository,
    private readonly turns: ReportTurns,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws VALIDATION_FAILED for a range that is none, or too long, or whose templates are more than an answer holds */
  @RpcHandler(templateReportRpc)
  async get(call: RpcCall<ReportRequest>): Promise<TemplateReport> {
    return this.turns.run(call, () => this.report(call));
  }

  private async report({ principal: { organizationId }, request }: RpcCall<ReportRequest>): Promise<TemplateReport> {
    const range = rangeOf(request, new Date(this.clock.now()));
    const { bounds } = range;
    const channelId = request.messagingChannelId;
    const rows = await this.rollup.read({ organizationId, reports: ['templates'], bounds, channelId });
    // Afterwards: whoever is counted has a name by then.
    const names = await this.names.all(organizationId);
    const nameOf = (id: string): { name: string; language: string } => names.get(id) ?? { name: '', language: '' };
    // An organization may have any number of templates, and each point lists those that were sent.
    const figuresOf = boundedFigures((sums) => templateFiguresOf(sums, nameOf), ANSWER_BYTES_MAX);
    return reportOf(request, range, rows, figuresOf);
  }
}
