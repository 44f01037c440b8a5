import { Controller } from '@nestjs/common';
import type { Page } from '@switchboard/contracts/grammar/page';
import type { ChannelView } from '@switchboard/contracts/messaging/http';
import { listChannelsRpc } from '@switchboard/contracts/messaging/rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { keysetPage } from '@switchboard/postgres';
import { channelView } from '../channel/channel-view.js';
import { ChannelRepository } from '../channel/channel.repository.js';

/** Answers `rpc.messaging.list-channels`. */
@Controller()
export class ListChannelsHandler {
  constructor(private readonly channels: ChannelRepository) {}

  @RpcHandler(listChannelsRpc)
  async list({
    principal,
    request,
  }: RpcCall<{ readonly limit: number; readonly cursor: string | null }>): Promise<Page<ChannelView>> {
    const rows = await this.channels.list(principal.organizationId, request.cursor, request.limit + 1);
    return keysetPage(rows, request.limit, ({ id }) => id, channelView);
  }
}
