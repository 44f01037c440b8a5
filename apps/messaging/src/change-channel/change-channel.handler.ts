import { Controller } from '@nestjs/common';
import {
  changeChannelRpc,
  disconnectChannelRpc,
  type ChangeChannelRequest,
  type ChangedChannel,
  type ChannelActRequest,
} from '@switchboard/contracts/messaging/channel-rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { managedChannelView } from '../channel/channel-view.js';
import { ChangeChannel } from './change-channel.js';

/** Answers `rpc.messaging.change-channel` and `rpc.messaging.disconnect-channel`. */
@Controller()
export class ChangeChannelHandler {
  constructor(private readonly changeChannel: ChangeChannel) {}

  /** @throws as `change-channel` */
  @RpcHandler(changeChannelRpc)
  async change({ principal, request, budget }: RpcCall<ChangeChannelRequest>): Promise<ChangedChannel> {
    return viewsOf(await this.changeChannel.execute(principal.organizationId, request, budget.signal));
  }

  /** @throws CHANNEL_NOT_FOUND, SERVICE_UNAVAILABLE */
  @RpcHandler(disconnectChannelRpc)
  async disconnect({ principal, request, budget }: RpcCall<ChannelActRequest>): Promise<ChangedChannel> {
    const { id, by } = request;
    return viewsOf(await this.changeChannel.disconnect(principal.organizationId, id, budget.signal, by));
  }
}

function viewsOf({ before, after }: Awaited<ReturnType<ChangeChannel['execute']>>): ChangedChannel {
  return { before: managedChannelView(before), after: managedChannelView(after) };
}
