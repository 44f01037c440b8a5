import { Controller, HttpCode, Param, Post } from '@nestjs/common';
import { disconnectChannelRpc, testChannelRpc } from '@switchboard/contracts/messaging/channel-rpc';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import type { ChannelTestResult, ManagedChannelView } from '@switchboard/contracts/messaging/http';
import { RpcClient } from '@switchboard/nats';
import { sessionActorOf } from '../../acts/actor-of.js';
import { Principal, SessionAct } from '../../http/request.decorator.js';
import { Declare, type SessionRoute } from '../../http/route-declaration.js';
import { AuditedChannels } from './audited-channels.js';

const ofChannel = {
  access: 'session',
  roles: ['OWNER', 'ADMIN'],
  errors: [messagingErrors.CHANNEL_NOT_FOUND],
} as const satisfies Partial<SessionRoute>;

const sentences = { CHANNEL_NOT_FOUND: 'Channel not found' };

/** Test and end of a channel's connection. Source: docs/api-behaviour.md#app-channels. */
@Controller('app/api/channels/:id')
export class ChannelActsController {
  constructor(
    private readonly rpc: RpcClient,
    private readonly audited: AuditedChannels,
  ) {}

  @Post('test')
  @HttpCode(200)
  @Declare({
    ...ofChannel,
    docs: {
      operationId: 'testChannel',
      tag: 'Channels',
      summary: 'Test a channel',
      description:
        'Shows the access token to the upstream provider; nothing is sent. A token that it refuses disconnects the channel, as ' +
        'it would at a send.',
      answers: { 200: { description: 'What the provider answered.', body: 'ChannelTestResult' } },
      sentences,
    },
  })
  async test(
    @Principal() principal: Principal,
    @SessionAct() act: SessionAct,
    @Param('id') id: string,
  ): Promise<ChannelTestResult> {
    const by = sessionActorOf(act);
    const result = await this.rpc.call(testChannelRpc, principal, { id, ...(by && { by }) });
    await this.audited.tested(act, by, id, result);
    return result;
  }

  @Post('disconnect')
  @HttpCode(200)
  @Declare({
    ...ofChannel,
    docs: {
      operationId: 'disconnectChannel',
      tag: 'Channels',
      summary: 'Disconnect a channel',
      description:
        'Sends from it are refused from now on, and its access token is overwritten. A new token connects it again.',
      answers: { 200: { description: 'The channel, disconnected.', body: 'ManagedChannel' } },
      sentences,
    },
  })
  async disconnect(
    @Principal() principal: Principal,
    @SessionAct() act: SessionAct,
    @Param('id') id: string,
  ): Promise<ManagedChannelView> {
    const by = sessionActorOf(act);
    const changed = await this.rpc.call(disconnectChannelRpc, principal, { id, ...(by && { by }) });
    await this.audited.changed(act, by, 'channel.disconnected', { ...changed, hasNewToken: false });
    return changed.after;
  }
}
