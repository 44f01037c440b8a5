import { Controller } from '@nestjs/common';
import type { Page } from '@switchboard/contracts/grammar/page';
import type { ChannelView } from '@switchboard/contracts/messaging/http';
import { listChannelsRpc } from '@switchboard/contracts/messaging/rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { readKeysetPage } from '@switchboard/postgres';
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
    const { limit, cursor } = request;
    const read = (rowsMax: number) => this.channels.list(principal.organizationId, cursor, rowsMax);
    return readKeysetPage(limit, read, ({ id }) => id, channelView);
  }
}
