import { Module, type DynamicModule } from '@nestjs/common';
import { ObserveAccounts } from './account/observe-accounts.js';
import { SyncSignal } from './account/sync-signal.js';
import { ChannelRepository } from './channel/channel.repository.js';
import { GetTemplateHandler } from './get-template/get-template.handler.js';
import { JobsModule } from './jobs.module.js';
import { ListTemplatesHandler } from './list-templates/list-templates.handler.js';
import { jobPruner } from './prune-jobs/prune-jobs.worker.js';
import { ProjectChannelsConsumer } from './project-channels/project-channels.consumer.js';
import { SyncAccount } from './sync-accounts/sync-account.js';
import { SyncAccountsWorker } from './sync-accounts/sync-accounts.worker.js';
import { SYNC_INTERVAL } from './sync-accounts/sync-interval.js';
import { TakeCallbacksConsumer } from './take-callbacks/take-callbacks.consumer.js';
import { TakeRefusalsConsumer } from './take-refusals/take-refusals.consumer.js';
import { TemplateRepository } from './template/template.repository.js';
import type { TemplatesConfig } from './templates.config.js';

/** The templates service. */
@Module({
  imports: [JobsModule],
  controllers: [GetTemplateHandler, ListTemplatesHandler],
  providers: [
    ChannelRepository,
    ObserveAccounts,
    ProjectChannelsConsumer,
    SyncAccount,
    SyncAccountsWorker,
    SyncSignal,
    TakeCallbacksConsumer,
    TakeRefusalsConsumer,
    TemplateRepository,
  ],
})
export class TemplatesModule {
  /** @param config how often accounts are synchronised, and how long jobs are kept */
  static of(config: TemplatesConfig): DynamicModule {
    const providers = [
      { provide: SYNC_INTERVAL, useValue: config.TEMPLATES_SYNC_INTERVAL_SECONDS },
      jobPruner(config.TEMPLATES_JOB_RETENTION_DAYS),
    ];
    return { module: TemplatesModule, providers };
  }
}
