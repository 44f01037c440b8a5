import { Module } from '@nestjs/common';
import { BulkIntakeModule } from '../bulk-intake/bulk-intake.module.js';
import { IdentityModule } from '../identity/identity.module.js';
import { ReportsModule } from '../analytics/reports.module.js';
import { AnalyticsController } from './analytics/analytics.controller.js';
import { ChannelsController } from './channels/channels.controller.js';
import { ContactActsConsumer } from './contacts/contact-acts.consumer.js';
import { ContactsController } from './contacts/contacts.controller.js';
import { ConversationsController } from './conversations/conversations.controller.js';
import { EventsController } from './events/events.controller.js';
import { ListMessages } from './conversations/list-messages.js';
import { FindMessages } from '../messages/find-messages.js';
import { MessageTimeline } from './messages/message-timeline.js';
import { MessageTimelineController } from './messages/message-timeline.controller.js';
import { MessagesController } from './messages/messages.controller.js';
import { SendMessage } from './messages/send-message.js';
import { OptOutsController } from './opt-outs/opt-outs.controller.js';
import { PingController } from './ping/ping.controller.js';
import { BulkSendsController } from './templates/bulk-sends.controller.js';
import { TemplatesController } from './templates/templates.controller.js';

/** The public API, under /v1, by API key; what the application needs of it is mounted under /app/api too, by session. */
@Module({
  controllers: [
    PingController,
    MessagesController,
    MessageTimelineController,
    ConversationsController,
    ContactsController,
    OptOutsController,
    ChannelsController,
    EventsController,
    BulkSendsController,
    TemplatesController,
    AnalyticsController,
  ],
  imports: [BulkIntakeModule, IdentityModule, ReportsModule],
  providers: [ContactActsConsumer, FindMessages, ListMessages, MessageTimeline, SendMessage],
})
export class V1Module {}
