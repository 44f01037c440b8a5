import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { IdentityModule } from '../identity/identity.module.js';
import { ReportsModule } from '../analytics/reports.module.js';
import { AppAnalyticsController } from './analytics/analytics.controller.js';
import { ApiKeysController } from './api-keys/api-keys.controller.js';
import { AuditLogController } from './audit-log/audit-log.controller.js';
import { InvitesController } from './invites/invites.controller.js';
import { AuditedChannels } from './channels/audited-channels.js';
import { ChannelActsConsumer } from './channels/channel-acts.consumer.js';
import { ChannelActsController } from './channels/channel-acts.controller.js';
import { AppChannelsController } from './channels/channels.controller.js';
import { MembersController } from './members/members.controller.js';
import { PasswordController } from './password/password.controller.js';
import { PlanController } from './plan/plan.controller.js';
import { OwnSessionsController } from './session/own-sessions.controller.js';
import { OrganizationController } from './organization/organization.controller.js';
import { SecondFactorController } from './second-factor/second-factor.controller.js';
import { SessionController } from './session/session.controller.js';
import { AppEventsController } from './events/events.controller.js';
import { EventStreams } from './events/event-streams.js';
import { FeedReads } from './events/feed-reads.js';
import { SandboxController } from './sandbox/sandbox.controller.js';
import { SimulatorClient } from './sandbox/simulator.client.js';
import { AuditedWebhooks } from './webhooks/audited-webhooks.js';
import { WebhookActsConsumer } from './webhooks/webhook-acts.consumer.js';
import { WebhookControlController } from './webhooks/webhook-control.controller.js';
import { WebhookDeliveriesController } from './webhooks/webhook-deliveries.controller.js';
import { WebhooksController } from './webhooks/webhooks.controller.js';

/** What the application's API under /app/api has alone; what it shares with /v1 is mounted by `V1Module` under both. */
@Module({
  imports: [HttpModule, IdentityModule, ReportsModule],
  controllers: [
    SessionController,
    OwnSessionsController,
    PasswordController,
    SecondFactorController,
    OrganizationController,
    MembersController,
    InvitesController,
    PlanController,
    ApiKeysController,
    AuditLogController,
    AppAnalyticsController,
    AppEventsController,
    SandboxController,
    WebhooksController,
    WebhookControlController,
    WebhookDeliveriesController,
    AppChannelsController,
    ChannelActsController,
  ],
  providers: [
    AuditedChannels,
    ChannelActsConsumer,
    AuditedWebhooks,
    WebhookActsConsumer,
    EventStreams,
    FeedReads,
    SimulatorClient,
  ],
})
export class AppModule {}
