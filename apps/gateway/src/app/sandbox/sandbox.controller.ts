import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import type { SandboxView } from '@switchboard/contracts/gateway/http';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { getManagedChannelRpc, listManagedChannelsRpc } from '@switchboard/contracts/messaging/channel-rpc';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import { getMessageRpc } from '@switchboard/contracts/messaging/rpc';
import { RpcClient } from '@switchboard/nats';
import { Principal } from '../../http/request.decorator.js';
import { Declare, type SessionRoute } from '../../http/route-declaration.js';
import { magicRecipients } from './magic-recipients.js';
import {
  sandboxInboundBody,
  SandboxInboundBody,
  sandboxPreferenceBody,
  SandboxPreferenceBody,
  sandboxReadBody,
  SandboxReadBody,
} from './sandbox.body.js';
import { SimulatorClient } from './simulator.client.js';

const member = { access: 'session', roles: null } as const satisfies Partial<SessionRoute>;
const playing = { ...member, errors: [serviceErrors.NOT_FOUND, messagingErrors.CHANNEL_NOT_FOUND] } as const;
const LOCAL = 'In the local run alone, where the upstream is the simulator; 404 everywhere else.';
const done = { 204: { description: 'The simulator has done it; its callback follows.', body: null } } as const;

/** `/app/api/sandbox`: plays recipients through the simulator. Source: docs/api-behaviour.md#app-sandbox. */
@Controller('app/api/sandbox')
export class SandboxController {
  constructor(
    private readonly simulator: SimulatorClient,
    private readonly rpc: RpcClient,
  ) {}

  @Get()
  @Declare({
    ...member,
    errors: [serviceErrors.NOT_FOUND],
    docs: {
      operationId: 'getSandbox',
      tag: 'Sandbox',
      summary: 'List sandbox recipients',
      description: `Recipients that behave in a way of their own; any other number behaves well. ${LOCAL}`,
      answers: { 200: { description: 'The sandbox.', body: 'Sandbox' } },
    },
  })
  get(): SandboxView {
    this.simulator.requireSandbox();
    return { recipients: magicRecipients };
  }

  @Post('inbound')
  @HttpCode(204)
  @Declare({
    ...playing,
    docs: {
      operationId: 'playInbound',
      tag: 'Sandbox',
      summary: 'Write as a recipient',
      description: `The message takes the way of any inbound one, through a callback. ${LOCAL}`,
      body: sandboxInboundBody,
      answers: done,
    },
  })
  async write(
    @Principal() principal: Principal,
    @Body() { from, text, name, messagingChannelId }: SandboxInboundBody,
  ): Promise<void> {
    const phoneNumberId = await this.lineOf(principal, messagingChannelId ?? null);
    await this.simulator.play('inbound', { phoneNumberId, from, text, ...(name && { name }) });
  }

  @Post('read')
  @HttpCode(204)
  @Declare({
    ...member,
    errors: [serviceErrors.NOT_FOUND, messagingErrors.MESSAGE_NOT_FOUND, serviceErrors.CONFLICT],
    docs: {
      operationId: 'playRead',
      tag: 'Sandbox',
      summary: 'Open a message as its recipient',
      description: `A message that the upstream has not accepted is 409. ${LOCAL}`,
      body: sandboxReadBody,
      answers: done,
      sentences: { CONFLICT: 'The upstream has not accepted this message' },
    },
  })
  async read(@Principal() principal: Principal, @Body() { messageId }: SandboxReadBody): Promise<void> {
    this.simulator.requireSandbox();
    const { upstreamMessageId, direction } = await this.rpc.call(getMessageRpc, principal, { id: messageId });
    if (upstreamMessageId === null || direction !== 'OUTBOUND') {
      throw new AppError(serviceErrors.CONFLICT, 'The upstream has not accepted this message');
    }
    await this.simulator.play('statuses', { reference: messageId, id: upstreamMessageId, status: 'read' });
  }

  @Post('preferences')
  @HttpCode(204)
  @Declare({
    ...playing,
    docs: {
      operationId: 'playPreference',
      tag: 'Sandbox',
      summary: 'Opt out or in as a recipient',
      description: `As a person does in the provider's own settings. ${LOCAL}`,
      body: sandboxPreferenceBody,
      answers: done,
    },
  })
  async prefer(
    @Principal() principal: Principal,
    @Body() { from, value, messagingChannelId }: SandboxPreferenceBody,
  ): Promise<void> {
    const phoneNumberId = await this.lineOf(principal, messagingChannelId ?? null);
    await this.simulator.play('preferences', { phoneNumberId, from, value });
  }

  /** The line of a channel of the organization. @throws AppError NOT_FOUND; CHANNEL_NOT_FOUND */
  private async lineOf(principal: Principal, channelId: string | null): Promise<string> {
    this.simulator.requireSandbox();
    if (channelId !== null) {
      return (await this.rpc.call(getManagedChannelRpc, principal, { id: channelId })).phoneNumberId;
    }
    const { items } = await this.rpc.call(listManagedChannelsRpc, principal, { limit: 100, cursor: null });
    const channel = items.find(({ isDefault }) => isDefault);
    if (!channel) throw new AppError(messagingErrors.CHANNEL_NOT_FOUND);
    return channel.phoneNumberId;
  }
}
