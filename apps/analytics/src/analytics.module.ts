import { Module } from '@nestjs/common';
import { EraseSignal } from '@switchboard/platform';
import { FactRangeRepository } from './fact/fact-range.repository.js';
import { EraseLettersWorker, LetterErasuresConsumer } from './erase-letters/erase-letters.worker.js';
import { TemplateNameRepository } from './fact/template-name.repository.js';
import { ObserveRebuilds } from './rebuild/observe-rebuilds.js';
import { RebuildRepository } from './rebuild/rebuild.repository.js';
import { RebuildFiguresWorker } from './rebuild-figures/rebuild-figures.worker.js';
import { ReportDeliveryHandler } from './report-delivery/report-delivery.handler.js';
import { ReportTemplatesHandler } from './report-templates/report-templates.handler.js';
import { ReportUsageHandler } from './report-usage/report-usage.handler.js';
import { ReportTurns } from './rollup/report-turns.js';
import { RollupRepository } from './rollup/rollup.repository.js';
import { TakeMessagesConsumer } from './take-messages/take-messages.consumer.js';
import { TakeOptOutsConsumer } from './take-opt-outs/take-opt-outs.consumer.js';
import { TakeRequestsConsumer } from './take-requests/take-requests.consumer.js';

/** The service: its handlers are controllers, its repositories, use cases, consumers and workers are providers. */
@Module({
  controllers: [ReportDeliveryHandler, ReportTemplatesHandler, ReportUsageHandler],
  providers: [
    FactRangeRepository,
    ObserveRebuilds,
    RebuildFiguresWorker,
    RebuildRepository,
    EraseLettersWorker,
    EraseSignal,
    LetterErasuresConsumer,
    ReportTurns,
    RollupRepository,
    TakeMessagesConsumer,
    TakeOptOutsConsumer,
    TakeRequestsConsumer,
    TemplateNameRepository,
  ],
})
export class AnalyticsModule {}
