import { Module, type DynamicModule } from '@nestjs/common';
import { OutboundHttp } from '@switchboard/outbound-http';
import { EraseSignal } from '@switchboard/platform';
import { SecretBox } from '@switchboard/secrets';
import { ChangeWebhookHandler } from './change-webhook/change-webhook.handler.js';
import { CreateWebhookHandler } from './create-webhook/create-webhook.handler.js';
import { DeleteWebhookHandler } from './delete-webhook/delete-webhook.handler.js';
import { DatabaseClock } from './attempt/database-clock.js';
import { DeliverSignal } from './deliver/deliver-signal.js';
import { DeliverWorker } from './deliver/deliver.worker.js';
import { ObserveDeliveries } from './deliver/observe-deliveries.js';
import { RequestsInFlight } from './deliver/requests-in-flight.js';
import { SendRequest } from './attempt/send-request.client.js';
import { StopGrace } from './attempt/stop-grace.js';
import { FeedWakeUps } from './event/feed-wake-ups.js';
import { EnableWebhookHandler } from './enable-webhook/enable-webhook.handler.js';
import { EraseEventsWorker, EventErasuresConsumer } from './erase-events/erase-events.worker.js';
import {
  FanOutMessagingConsumer,
  FanOutOptOutsConsumer,
  FanOutTemplatesConsumer,
} from './fan-out/fan-out.consumers.js';
import { GetDeliveryHandler } from './get-delivery/get-delivery.handler.js';
import { ListEventsHandler } from './list-events/list-events.handler.js';
import { RedeliverHandler } from './redeliver/redeliver.handler.js';
import { ObserveReplays } from './queue-replays/observe-replays.js';
import { replayPruner } from './queue-replays/prune-replays.worker.js';
import { QueueReplaysWorker } from './queue-replays/queue-replays.worker.js';
import { ReplayWebhookHandler } from './replay-webhook/replay-webhook.handler.js';
import { ReplaySignal } from './replay/replay-signal.js';
import { interruptedTestRecorder } from './test-webhook/interrupted-tests.worker.js';
import { TestWebhookHandler } from './test-webhook/test-webhook.handler.js';
import { LaneWakeUps } from './lane/lane-wake-ups.js';
import { ListAttemptsHandler } from './list-attempts/list-attempts.handler.js';
import { ListMessageDeliveriesHandler } from './list-message-deliveries/list-message-deliveries.handler.js';
import { OutboundApart, outboundOf, secretBoxOf } from './outbound.js';
import { ReadWebhooksHandler } from './read-webhooks/read-webhooks.handler.js';
import { WebhookSecretHandler } from './webhook-secret/webhook-secret.handler.js';
import { formerSecretEraser } from './webhook-secret/erase-former.worker.js';
import { JudgeUrl } from './webhook/judge-url.js';
import { deletedWebhookPruner } from './delete-webhook/prune-deleted.worker.js';
import { WEBHOOKS_CONFIG, type WebhooksConfig } from './webhooks.config.js';

/** The webhooks service. */
@Module({
  controllers: [
    ChangeWebhookHandler,
    CreateWebhookHandler,
    DeleteWebhookHandler,
    EnableWebhookHandler,
    ListAttemptsHandler,
    ListMessageDeliveriesHandler,
    TestWebhookHandler,
    ReplayWebhookHandler,
    RedeliverHandler,
    ListEventsHandler,
    GetDeliveryHandler,
    ReadWebhooksHandler,
    WebhookSecretHandler,
  ],
  providers: [
    DatabaseClock,
    DeliverSignal,
    DeliverWorker,
    EraseEventsWorker,
    EraseSignal,
    EventErasuresConsumer,
    FanOutMessagingConsumer,
    FanOutOptOutsConsumer,
    FanOutTemplatesConsumer,
    FeedWakeUps,
    JudgeUrl,
    LaneWakeUps,
    ObserveDeliveries,
    ObserveReplays,
    QueueReplaysWorker,
    ReplaySignal,
    RequestsInFlight,
    replayPruner,
    deletedWebhookPruner,
    formerSecretEraser,
    interruptedTestRecorder,
    SendRequest,
    StopGrace,
  ],
})
export class WebhooksModule {
  /** @param config where webhooks may go, and the key of their secrets */
  static of(config: WebhooksConfig): DynamicModule {
    return {
      module: WebhooksModule,
      providers: [
        { provide: WEBHOOKS_CONFIG, useValue: config },
        { provide: SecretBox, useValue: secretBoxOf(config) },
        { provide: OutboundHttp, useFactory: () => outboundOf(config) },
        { provide: OutboundApart, useFactory: () => OutboundApart.of(config) },
      ],
    };
  }
}
