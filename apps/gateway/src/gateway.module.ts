import { Module, type DynamicModule } from '@nestjs/common';
import { RpcClient } from '@switchboard/nats';
import { systemClock, type Platform, type ReadinessCheck } from '@switchboard/service';
import { appControllers } from './app.controllers.js';
import { FailedKeys } from './edge/authentication/failed-keys.js';
import { ChangeConversationController } from './edge/change-conversation/change-conversation.controller.js';
import { CreateOptOutController } from './edge/create-opt-out/create-opt-out.controller.js';
import { DeleteOptOutController } from './edge/delete-opt-out/delete-opt-out.controller.js';
import { Descriptions } from './edge/description/descriptions.js';
import { GetContactController } from './edge/get-contact/get-contact.controller.js';
import { GetConversationController } from './edge/get-conversation/get-conversation.controller.js';
import { GetMessageController } from './edge/get-message/get-message.controller.js';
import { GetOptOutController } from './edge/get-opt-out/get-opt-out.controller.js';
import { HealthController, READINESS_CHECKS } from './edge/health/health.controller.js';
import { ListChannelsController } from './edge/list-channels/list-channels.controller.js';
import { ListContactsController } from './edge/list-contacts/list-contacts.controller.js';
import { ListConversationsController } from './edge/list-conversations/list-conversations.controller.js';
import { ListMessagesController } from './edge/list-messages/list-messages.controller.js';
import { ListMessages } from './edge/list-messages/list-messages.js';
import { ListOptOutsController } from './edge/list-opt-outs/list-opt-outs.controller.js';
import { PingController } from './edge/ping/ping.controller.js';
import { SendMessageController } from './edge/send-message/send-message.controller.js';
import { SendMessage } from './edge/send-message/send-message.js';
import { ServeDescriptionController } from './edge/serve-description/serve-description.controller.js';
import { ShowReferenceController } from './edge/show-reference/show-reference.controller.js';
import { SessionAnswer } from './edge/session/session-answer.js';
import { SessionCookie } from './edge/session/session-cookie.js';
import { TakeCallbackController, VERIFY_TOKEN } from './edge/take-callback/take-callback.controller.js';
import { TakeCallback } from './edge/take-callback/take-callback.js';
import { UpsertContactController } from './edge/upsert-contact/upsert-contact.controller.js';
import { API_KEYS, type ApiKeys } from './organization/api-keys.contract.js';
import { AUDIT_LOG, type AuditLog } from './organization/audit.contract.js';
import { PEOPLE, type People } from './organization/people.contract.js';

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
