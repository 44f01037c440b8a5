import { Body, Controller, Get, Inject, Param, Patch, Post, Query } from '@nestjs/common';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { Page } from '@switchboard/contracts/grammar/page';
import {
  changeChannelRpc,
  connectChannelRpc,
  getManagedChannelRpc,
  listManagedChannelsRpc,
} from '@switchboard/contracts/messaging/channel-rpc';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import type { ManagedChannelView } from '@switchboard/contracts/messaging/http';
import { RpcClient } from '@switchboard/nats';
import { sessionActorOf } from '../../acts/actor-of.js';
import { PageQuery, pageOf } from '../../http/input/page.query.js';
import { Principal, SessionAct } from '../../http/request.decorator.js';
import { Declare, type SessionRoute } from '../../http/route-declaration.js';
import { PEOPLE, type People } from '../../identity/people.contract.js';
import { AuditedChannels } from './audited-channels.js';
import { ChangeChannelBody, changeChannelBody, ConnectChannelBody, connectChannelBody } from './channel.body.js';

const read = { access: 'session', roles: null } as const satisfies Partial<SessionRoute>;
const administered = { access: 'session', roles: ['OWNER', 'ADMIN'] } as const satisfies Partial<SessionRoute>;
const TAKEN =
  'This `phoneNumberId` is a channel already; give a channel of yours a new `accessToken` to connect it again';
const refusals = [messagingErrors.UPSTREAM_REJECTED, serviceErrors.PAYMENT_REQUIRED];
const missing = { CHANNEL_NOT_FOUND: 'Channel not found' };
const sentences = {
  UPSTREAM_REJECTED: 'The upstream provider refused the channel (190: The access token has expired)',
  PAYMENT_REQUIRED: 'The plan includes 2 connected channels, and all of them are in use',
};

/** `/app/api/channels`. Source: docs/api-behaviour.md#app-channels. */
@Controller('app/api/channels')
export class AppChannelsController {
  constructor(
    private readonly rpc: RpcClient,
    private readonly audited: AuditedChannels,
    @Inject(PEOPLE) private readonly people: Pick<People, 'planOf'>,
  ) {}

  @Post()
  @Declare({
    ...administered,
    errors: [...refusals, serviceErrors.CONFLICT],
    docs: {
      operationId: 'connectChannel',
      tag: 'Channels',
      summary: 'Connect a channel',
      description:
        'The upstream provider is asked for the phone number by the access token first; what it refuses is 400. Name and ' +
        'phone of the channel are what it says. The first channel of an organization is its default one.',
      body: connectChannelBody,
      answers: { 201: { description: 'The channel, connected.', body: 'ManagedChannel' } },
      sentences: { ...sentences, CONFLICT: TAKEN },
    },
  })
  async connect(
    @Principal() principal: Principal,
    @SessionAct() act: SessionAct,
    @Body() { phoneNumberId, businessAccountId, accessToken, defaultRegion, isDefault }: ConnectChannelBody,
  ): Promise<ManagedChannelView> {
    const { channels: channelsMax } = await this.people.planOf(principal.organizationId);
    const line = { phoneNumberId, businessAccountId, accessToken, defaultRegion: defaultRegion ?? null };
    const by = sessionActorOf(act);
    const request = { channelId: newCuid(), ...line, isDefault: isDefault ?? false, channelsMax, ...(by && { by }) };
    const after = await this.rpc.call(connectChannelRpc, principal, request);
    await this.audited.changed(act, by, 'channel.connected', { before: null, after, hasNewToken: true });
    return after;
  }

  @Get()
  @Declare({
    ...read,
    errors: [],
    docs: {
      operationId: 'listChannels',
      tag: 'Channels',
      summary: 'List channels',
      description: 'The newest first, disconnected ones too. Access tokens are never shown.',
      query: PageQuery,
      answers: { 200: { description: 'A page of channels.', body: { pageOf: 'ManagedChannel' } } },
    },
  })
  list(@Principal() principal: Principal, @Query() query: PageQuery): Promise<Page<ManagedChannelView>> {
    return this.rpc.call(listManagedChannelsRpc, principal, pageOf(query));
  }

  @Get(':id')
  @Declare({
    ...read,
    errors: [messagingErrors.CHANNEL_NOT_FOUND],
    docs: {
      operationId: 'getChannel',
      tag: 'Channels',
      summary: 'Read a channel',
      description: 'With its settings, without its access token.',
      answers: { 200: { description: 'The channel.', body: 'ManagedChannel' } },
      sentences: missing,
    },
  })
  get(@Principal() principal: Principal, @Param('id') id: string): Promise<ManagedChannelView> {
    return this.rpc.call(getManagedChannelRpc, principal, { id });
  }

  @Patch(':id')
  @Declare({
    ...administered,
    // 50 keywords of 64 characters each, every one escaped.
    bodyBytesMax: 65_536,
    errors: [...refusals, messagingErrors.CHANNEL_NOT_FOUND],
    docs: {
      operationId: 'changeChannel',
      tag: 'Channels',
      summary: 'Change a channel',
      description:
        'What is left out stays as it is. A new access token is shown to the upstream provider first, and connects the ' +
        'channel again. Exactly one channel of an organization is the default one: it stops when another one begins.',
      body: changeChannelBody,
      answers: { 200: { description: 'The channel as it is now.', body: 'ManagedChannel' } },
      sentences: { ...sentences, ...missing },
    },
  })
  async change(
    @Principal() principal: Principal,
    @SessionAct() act: SessionAct,
    @Param('id') id: string,
    @Body() { accessToken = null, isDefault = null, defaultRegion = null, optOutKeywords = null }: ChangeChannelBody,
  ): Promise<ManagedChannelView> {
    const { channels: channelsMax } = await this.people.planOf(principal.organizationId);
    const by = sessionActorOf(act);
    const settings = { accessToken, isDefault, defaultRegion, optOutKeywords, channelsMax };
    const change = { id, ...settings, ...(by && { by }) };
    const changed = await this.rpc.call(changeChannelRpc, principal, change);
    await this.audited.changed(act, by, 'channel.changed', { ...changed, hasNewToken: accessToken !== null });
    return changed.after;
  }
}
