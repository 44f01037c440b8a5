import { Module } from '@nestjs/common';
import { ChannelsController } from './channels/channels.controller.js';
import { ContactsController } from './contacts/contacts.controller.js';
import { ConversationsController } from './conversations/conversations.controller.js';
import { ListMessages } from './conversations/list-messages.js';
import { MessagesController } from './messages/messages.controller.js';
import { SendMessage } from './messages/send-message.js';
import { OptOutsController } from './opt-outs/opt-outs.controller.js';
import { PingController } from './ping/ping.controller.js';

/** The public API, under /v1, by API key. */
@Module({
  controllers: [
    PingController,
    MessagesController,
    ConversationsController,
    ContactsController,
    OptOutsController,
    ChannelsController,
  ],
  providers: [ListMessages, SendMessage],
})
export class V1Module {}
