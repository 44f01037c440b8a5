import { Controller } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { RpcRequestOf, RpcResponseOf } from '@switchboard/contracts/grammar/define-rpc';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import { getChannelRpc } from '@switchboard/contracts/messaging/rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { ChannelRepository } from '../channel/channel.repository.js';

type Rpc = typeof getChannelRpc;

/** Answers `rpc.messaging.get-channel`. */
@Controller()
export class GetChannelHandler {
  constructor(private readonly channels: ChannelRepository) {}

  /** @throws CHANNEL_NOT_FOUND */
  @RpcHandler(getChannelRpc)
  async get({ principal, request }: RpcCall<RpcRequestOf<Rpc>>): Promise<RpcResponseOf<Rpc>> {
    const channel = await this.channels.find(principal.organizationId, request.id);
    if (!channel) throw new AppError(messagingErrors.CHANNEL_NOT_FOUND);
    const { id, name, phone, status, isDefault, defaultRegion } = channel;
    return { channel: { id, name, phone, status, isDefault, defaultRegion } };
  }
}
