import { Controller } from '@nestjs/common';
import { connectChannelRpc, type ConnectChannelRequest } from '@switchboard/contracts/messaging/channel-rpc';
import type { ManagedChannelView } from '@switchboard/contracts/messaging/http';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { managedChannelView } from '../channel/channel-view.js';
import { ConnectChannel } from './connect-channel.js';

/** Answers `rpc.messaging.connect-channel`. */
@Controller()
export class ConnectChannelHandler {
  constructor(private readonly connectChannel: ConnectChannel) {}

  /** @throws as `connect-channel` */
  @RpcHandler(connectChannelRpc)
  async connect({ principal, request, budget }: RpcCall<ConnectChannelRequest>): Promise<ManagedChannelView> {
    return managedChannelView(await this.connectChannel.execute(principal.organizationId, request, budget.signal));
  }
}
