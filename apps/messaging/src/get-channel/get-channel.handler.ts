import { Controller } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import type { ChannelFacts } from '@switchboard/contracts/messaging/http';
import { getChannelRpc } from '@switchboard/contracts/messaging/rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { channelFacts } from '../channel/channel-view.js';
import { ChannelRepository } from '../channel/channel.repository.js';

/** Answers `rpc.messaging.get-channel`. */
@Controller()
export class GetChannelHandler {
  constructor(private readonly channels: ChannelRepository) {}

  /** @throws CHANNEL_NOT_FOUND for another organization's channel too, and where there is no default one */
  @RpcHandler(getChannelRpc)
  async get({
    principal,
    request,
  }: RpcCall<{ readonly id: string | null }>): Promise<{ readonly channel: ChannelFacts }> {
    const channel = await this.channels.find(principal.organizationId, request.id);
    if (!channel) throw new AppError(messagingErrors.CHANNEL_NOT_FOUND);
    return { channel: channelFacts(channel) };
  }
}
