import { Module, type DynamicModule } from '@nestjs/common';
import { RpcClient } from '@switchboard/nats';
import { systemClock, type Platform, type ReadinessCheck } from '@switchboard/service';
import { GetConversationController } from './edge/get-conversation/get-conversation.controller.js';
import { GetMessageController } from './edge/get-message/get-message.controller.js';
import { HealthController, READINESS_CHECKS } from './edge/health/health.controller.js';
import { ListConversationsController } from './edge/list-conversations/list-conversations.controller.js';
import { PingController } from './edge/ping/ping.controller.js';
import { SendMessageController } from './edge/send-message/send-message.controller.js';
import { SendMessage } from './edge/send-message/send-message.js';
import { TakeCallbackController, VERIFY_TOKEN } from './edge/take-callback/take-callback.controller.js';
import { TakeCallback } from './edge/take-callback/take-callback.js';

/** What the handlers stand on. */
export interface GatewayParts {
  readonly platform: Pick<Platform, 'rpc'>;
  readonly takeCallback: TakeCallback;
  readonly verifyToken: string;
  readonly checks: Readonly<Record<string, ReadinessCheck>>;
}

/** The routes of the gateway. What runs before every route is no module: it is the HTTP server itself. */
@Module({})
export class GatewayModule {
  static of({ platform, takeCallback, verifyToken, checks }: GatewayParts): DynamicModule {
    return {
      module: GatewayModule,
      controllers: [
        PingController,
        SendMessageController,
        GetMessageController,
        ListConversationsController,
        GetConversationController,
        TakeCallbackController,
        HealthController,
      ],
      providers: [
        { provide: RpcClient, useValue: platform.rpc },
        { provide: SendMessage, useValue: new SendMessage(platform.rpc, systemClock) },
        { provide: TakeCallback, useValue: takeCallback },
        { provide: VERIFY_TOKEN, useValue: verifyToken },
        { provide: READINESS_CHECKS, useValue: checks },
      ],
    };
  }
}
