import { Controller } from '@nestjs/common';
import { testChannelRpc, type ChannelActRequest } from '@switchboard/contracts/messaging/channel-rpc';
import type { ChannelTestResult } from '@switchboard/contracts/messaging/http';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { TestChannel } from './test-channel.js';

/** Answers `rpc.messaging.test-channel`. */
@Controller()
export class TestChannelHandler {
  constructor(private readonly testChannel: TestChannel) {}

  /** @throws CHANNEL_NOT_FOUND */
  @RpcHandler(testChannelRpc)
  async test({ principal, request, budget }: RpcCall<ChannelActRequest>): Promise<ChannelTestResult> {
    return this.testChannel.execute(principal.organizationId, request.id, budget.signal, request.by);
  }
}
