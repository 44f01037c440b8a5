import { Module, type DynamicModule } from '@nestjs/common';
import { ChangeConversationHandler } from './change-conversation/change-conversation.handler.js';
import { ChangeConversation } from './change-conversation/change-conversation.js';
import { ApplySuppressions } from './apply-suppressions/apply-suppressions.js';
import { ApplySuppressionsHandler } from './apply-suppressions/apply-suppressions.handler.js';
import { EraseSignal, LOG, type Log } from '@switchboard/platform';
import { Database } from '@switchboard/postgres';
import { AccessTokens } from './channel/access-token.js';
import { bulkControllers, bulkProviders } from './bulk.providers.js';
import { channelControllers, channelProviders } from './channel.providers.js';
import { ChannelRepository } from './channel/channel.repository.js';
import { ContactRepository } from './contact/contact.repository.js';
import { LearnContact } from './contact/learn-contact.batch.js';
import { ConversationRepository } from './conversation/conversation.repository.js';
import { SnoozeSignal } from './conversation/snooze-signal.js';
import { DispatchJournal } from './dispatch/dispatch-journal.js';
import { Dispatcher } from './dispatch/dispatcher.js';
import { ObserveDispatches } from './dispatch/observe-dispatches.js';
import { RetrySignal } from './dispatch/retry-signal.js';
import { SettleDispatch } from './dispatch/settle-dispatch.batch.js';
import { ReleasedLeases } from './dispatch/released-leases.js';
import { ForgetContactHandler } from './erase-messages/forget-contact.handler.js';
import { ForgetContact } from './erase-messages/forget-contact.js';
import { EraseMessagesWorker } from './erase-messages/erase-messages.worker.js';
import { ObserveMonths } from './keep-months/observe-months.js';
import { MessageErasuresConsumer } from './erase-messages/message-erasures.consumer.js';
import { FindMessagesHandler } from './find-messages/find-messages.handler.js';
import { MessageSearchRepository } from './find-messages/message-search.repository.js';
import { GetConversationHandler } from './get-conversation/get-conversation.handler.js';
import { GetMessageHandler } from './get-message/get-message.handler.js';
import { GetQuotaHandler } from './get-quota/get-quota.handler.js';
import { GetTimelineHandler } from './get-timeline/get-timeline.handler.js';
import { StoreResponse } from './idempotency-key/store-response.batch.js';
import { ListConversationsHandler } from './list-conversations/list-conversations.handler.js';
import { ListMessagesHandler } from './list-messages/list-messages.handler.js';
import { CountedPageRepository } from './list-counted/counted-page.repository.js';
import { ListCountedHandler } from './list-counted/list-counted.handler.js';
import { ListUpstreamTemplates } from './list-upstream-templates/list-upstream-templates.js';
import { ListUpstreamTemplatesHandler } from './list-upstream-templates/list-upstream-templates.handler.js';
import { MessagePageRepository } from './list-messages/message-page.repository.js';
import { MessageRepository } from './message/message.repository.js';
import type { MessagingConfig } from './messaging.config.js';
import { ProjectContactsConsumer } from './project-contacts/project-contacts.consumer.js';
import { RetryDispatchWorker } from './retry-dispatch/retry-dispatch.worker.js';
import { AcceptMessage } from './send-message/accept-message.batch.js';
import { conversationPruners } from './prune-conversations/prune-conversations.worker.js';
import { keyPruner } from './prune-keys/prune-keys.worker.js';
import { IdempotentReplay } from './send-message/idempotent-replay.js';
import { SendMessageOnce } from './send-message/send-message-once.js';
import { SendMessageHandler } from './send-message/send-message.handler.js';
import { SendMessage } from './send-message/send-message.js';
import { SettleOverdueWorker } from './settle-overdue/settle-overdue.worker.js';
import { callbackConsumers } from './take-callbacks/callback-consumers.js';
import { ResolveContactsClient } from './take-callbacks/resolve-contacts.client.js';
import { TakeOverAttemptsWorker } from './take-over-attempts/take-over-attempts.worker.js';
import { CloudClient } from './upstream/cloud.client.js';
import { MeasuredUpstream } from './upstream/measured-upstream.js';
import { Upstream } from './upstream/upstream.js';
import { LookAgainWorker } from './look-again/look-again.worker.js';
import { WaitingSignal } from './callback/waiting-signal.js';
import { WakeSnoozedWorker } from './wake-snoozed/wake-snoozed.worker.js';

/** The messaging service. */
@Module({
  controllers: [
    ApplySuppressionsHandler,
    ForgetContactHandler,
    SendMessageHandler,
    GetMessageHandler,
    GetTimelineHandler,
    ListMessagesHandler,
    FindMessagesHandler,
    GetConversationHandler,
    ListConversationsHandler,
    ChangeConversationHandler,
    GetQuotaHandler,
    ListUpstreamTemplatesHandler,
    ListCountedHandler,
    ...bulkControllers,
    ...channelControllers,
  ],
  providers: [
    ...bulkProviders,
    ...channelProviders,
    ...callbackConsumers,
    AcceptMessage,
    CountedPageRepository,
    ApplySuppressions,
    ChangeConversation,
    ChannelRepository,
    ContactRepository,
    ConversationRepository,
    Dispatcher,
    EraseMessagesWorker,
    EraseSignal,
    ForgetContact,
    MessageErasuresConsumer,
    IdempotentReplay,
    keyPruner,
    LearnContact,
    ListUpstreamTemplates,
    LookAgainWorker,
    StoreResponse,
    ResolveContactsClient,
    MessagePageRepository,
    MessageSearchRepository,
    MessageRepository,
    ObserveDispatches,
    ProjectContactsConsumer,
    RetryDispatchWorker,
    RetrySignal,
    SendMessage,
    SendMessageOnce,
    SettleDispatch,
    SettleOverdueWorker,
    TakeOverAttemptsWorker,
    ReleasedLeases,
    SnoozeSignal,
    WaitingSignal,
    WakeSnoozedWorker,
  ],
})
export class MessagingModule {
  /** @param config where the provider is, and the key of the channels' tokens */
  static of(config: MessagingConfig): DynamicModule {
    const cloud = {
      baseUrl: config.CLOUD_BASE_URL,
      version: config.CLOUD_API_VERSION,
      connectionsMax: config.CLOUD_CONNECTIONS_MAX,
      requestDeadlineMs: config.CLOUD_REQUEST_DEADLINE_MS,
      authorities: config.CLOUD_CA_FILE,
    };
    const masterKeys = { current: config.CREDENTIALS_KEY, previous: config.CREDENTIALS_KEY_PREVIOUS };
    return {
      module: MessagingModule,
      providers: [
        // Made when the application is, and not with this module: by then the process measures.
        { provide: Upstream, useFactory: () => new MeasuredUpstream(new CloudClient(cloud)) },
        {
          provide: DispatchJournal,
          inject: [LOG],
          useFactory: (log: Log) => DispatchJournal.open(config.DISPATCH_JOURNAL_DIR, log),
        },
        { provide: AccessTokens, useValue: new AccessTokens(masterKeys) },
        ...conversationPruners(config.MESSAGING_RETENTION_DAYS),
        {
          provide: ObserveMonths,
          inject: [Database, LOG],
          useFactory: (database: Database, log: Log) =>
            new ObserveMonths(database, log, config.MESSAGING_RETENTION_DAYS),
        },
      ],
    };
  }
}
