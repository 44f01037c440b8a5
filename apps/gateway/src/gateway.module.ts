import { Module, type DynamicModule } from '@nestjs/common';
import { RpcClient } from '@switchboard/nats';
import { systemClock, type Platform, type ReadinessCheck } from '@switchboard/platform';
import { appControllers } from './app.controllers.js';
import { FailedKeys } from './http/authentication/failed-keys.js';
import { ChangeConversationController } from './v1/conversations/change-conversation.controller.js';
import { CreateOptOutController } from './v1/opt-outs/create-opt-out.controller.js';
import { DeleteOptOutController } from './v1/opt-outs/delete-opt-out.controller.js';
import { Descriptions } from './reference/descriptions.js';
import { GetContactController } from './v1/contacts/get-contact.controller.js';
import { GetConversationController } from './v1/conversations/get-conversation.controller.js';
import { GetMessageController } from './v1/messages/get-message.controller.js';
import { GetOptOutController } from './v1/opt-outs/get-opt-out.controller.js';
import { HealthController, READINESS_CHECKS } from './http/health/health.controller.js';
import { ListChannelsController } from './v1/channels/list-channels.controller.js';
import { ListContactsController } from './v1/contacts/list-contacts.controller.js';
import { ListConversationsController } from './v1/conversations/list-conversations.controller.js';
import { ListMessagesController } from './v1/conversations/list-messages.controller.js';
import { ListMessages } from './v1/conversations/list-messages.js';
import { ListOptOutsController } from './v1/opt-outs/list-opt-outs.controller.js';
import { PingController } from './v1/ping/ping.controller.js';
import { SendMessageController } from './v1/messages/send-message.controller.js';
import { SendMessage } from './v1/messages/send-message.js';
import { ServeDescriptionController } from './reference/serve-description.controller.js';
import { ShowReferenceController } from './reference/show-reference.controller.js';
import { SessionAnswer } from './http/session/session-answer.js';
import { SessionCookie } from './http/session/session-cookie.js';
import { TakeCallbackController, VERIFY_TOKEN } from './callbacks/take-callback.controller.js';
import { TakeCallback } from './callbacks/take-callback.js';
import { UpsertContactController } from './v1/contacts/upsert-contact.controller.js';
import { API_KEYS, type ApiKeys } from './identity/api-keys.contract.js';
import { AUDIT_LOG, type AuditLog } from './identity/audit.contract.js';
import { PEOPLE, type People } from './identity/people.contract.js';

/** What the handlers stand on. */
export interface GatewayParts {
  readonly platform: Pick<Platform, 'rpc'>;
  readonly people: People;
  readonly apiKeys: ApiKeys;
  readonly auditLog: AuditLog;
  readonly sessionCookie: SessionCookie;
  readonly failedKeys: FailedKeys;
  readonly takeCallback: TakeCallback;
  readonly verifyToken: string;
  readonly checks: Readonly<Record<string, ReadinessCheck>>;
  readonly descriptions: Descriptions;
}

/** The routes of the gateway. What runs before every route is no module: it is the HTTP server itself. */
@Module({})
export class GatewayModule {
  static of({
    platform,
    people,
    apiKeys,
    auditLog,
    sessionCookie,
    failedKeys,
    takeCallback,
    verifyToken,
    checks,
    descriptions,
  }: GatewayParts): DynamicModule {
    return {
      module: GatewayModule,
      controllers: [
        PingController,
        SendMessageController,
        GetMessageController,
        ListConversationsController,
        GetConversationController,
        UpsertContactController,
        GetContactController,
        ListContactsController,
        CreateOptOutController,
        GetOptOutController,
        ListOptOutsController,
        DeleteOptOutController,
        ChangeConversationController,
        ListMessagesController,
        ListChannelsController,
        ServeDescriptionController,
        ShowReferenceController,
        TakeCallbackController,
        HealthController,
        ...appControllers,
      ],
      providers: [
        { provide: RpcClient, useValue: platform.rpc },
        { provide: SendMessage, useValue: new SendMessage(platform.rpc, systemClock) },
        { provide: ListMessages, useValue: new ListMessages(platform.rpc) },
        { provide: PEOPLE, useValue: people },
        { provide: API_KEYS, useValue: apiKeys },
        { provide: AUDIT_LOG, useValue: auditLog },
        { provide: SessionCookie, useValue: sessionCookie },
        { provide: FailedKeys, useValue: failedKeys },
        { provide: SessionAnswer, useValue: new SessionAnswer(people.sessions, sessionCookie) },
        { provide: TakeCallback, useValue: takeCallback },
        { provide: VERIFY_TOKEN, useValue: verifyToken },
        { provide: READINESS_CHECKS, useValue: checks },
        { provide: Descriptions, useValue: descriptions },
      ],
    };
  }
}
