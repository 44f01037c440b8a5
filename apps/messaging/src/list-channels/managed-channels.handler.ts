import { Controller } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { Page } from '@switchboard/contracts/grammar/page';
import { getManagedChannelRpc, listManagedChannelsRpc } from '@switchboard/contracts/messaging/channel-rpc';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import type { ManagedChannelView } from '@switchboard/contracts/messaging/http';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { readKeysetPage } from '@switchboard/postgres';
import { managedChannelView } from '../channel/channel-view.js';
import { ChannelRepository } from '../channel/channel.repository.js';

/** Answers `rpc.messaging.list-managed-channels` and `rpc.messaging.get-managed-channel`. */
@Controller()
export class ManagedChannelsHandler {
  constructor(private readonly channels: ChannelRepository) {}

  @RpcHandler(listManagedChannelsRpc)
  async list({
    principal,
    request,
  }: RpcCall<{ readonly limit: number; readonly cursor: string | null }>): Promise<Page<ManagedChannelView>> {
    const { limit, cursor } = request;
    const read = (rowsMax: number) => this.channels.list(principal.organizationId, cursor, rowsMax);
    return readKeysetPage(limit, read, ({ id }) => id, managedChannelView);
  }

  /** @throws CHANNEL_NOT_FOUND for another organization's channel too */
  @RpcHandler(getManagedChannelRpc)
  async get({ principal, request }: RpcCall<{ readonly id: string }>): Promise<ManagedChannelView> {
    const channel = await this.channels.find(principal.organizationId, request.id);
    if (!channel) throw new AppError(messagingErrors.CHANNEL_NOT_FOUND);
    return managedChannelView(channel);
  }
}
