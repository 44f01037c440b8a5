import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { contactsErrors } from '@switchboard/contracts/contacts/errors';
import type { OptOutView } from '@switchboard/contracts/contacts/http';
import { createOptOutRpc, deleteOptOutRpc, getOptOutRpc, listOptOutsRpc } from '@switchboard/contracts/contacts/rpc';
import type { Page } from '@switchboard/contracts/grammar/page';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import { RpcClient } from '@switchboard/nats';
import type { FastifyReply } from 'fastify';
import { pageOf } from '../../http/input/page.query.js';
import { Principal } from '../../http/request.decorator.js';
import { Declare } from '../../http/route-declaration.js';
import { createOptOutAnswers, CreateOptOutBody, createOptOutBody } from './create-opt-out.body.js';
import { ListOptOutsQuery } from './list-opt-outs.query.js';

/**
 * `/v1/opt-outs`, and `/app/api/opt-outs` for every member. Source: docs/api-behaviour.md#opt-outs-api,
 * docs/api-behaviour.md#opt-outs-fence.
 */
@Controller(['v1/opt-outs', 'app/api/opt-outs'])
export class OptOutsController {
  constructor(private readonly rpc: RpcClient) {}

  @Post()
  @Declare({
    access: 'key-or-session',
    scope: 'opt_outs:write',
    payment: 'nothing',
    errors: [messagingErrors.CHANNEL_NOT_FOUND, messagingErrors.INVALID_PHONE, contactsErrors.CONTACT_NOT_FOUND],
    cost: 1,
    docs: {
      operationId: 'createOptOut',
      tag: 'Contacts',
      summary: 'Opt a contact out',
      description:
        'Once this has answered, no send to the contact that begins later passes on the channel: it is refused 403 ' +
        '`CONTACT_OPTED_OUT`. One that is at the upstream provider already may finish.',
      body: createOptOutBody,
      answers: {
        200: { description: 'The opt-out existed already.', body: 'OptOut', examples: createOptOutAnswers },
        201: { description: 'The opt-out is new.', body: 'OptOut', examples: createOptOutAnswers },
      },
    },
  })
  async create(
    @Principal() principal: Principal,
    @Body() body: CreateOptOutBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<OptOutView> {
    const { contactId = null, phone = null, messagingChannelId = null, reason = null } = body;
    const request = { contactId, phone, messagingChannelId, reason };
    const { optOut, isNew } = await this.rpc.call(createOptOutRpc, principal, request);
    reply.code(isNew ? 201 : 200);
    return optOut;
  }

  @Get(':id')
  @Declare({
    access: 'key-or-session',
    scope: 'opt_outs:read',
    errors: [contactsErrors.OPT_OUT_NOT_FOUND],
    cost: 1,
    docs: {
      operationId: 'getOptOut',
      tag: 'Contacts',
      summary: 'Read an opt-out',
      description: 'An opt-out in force; one that was removed is 404.',
      answers: { 200: { description: 'The opt-out.', body: 'OptOut' } },
    },
  })
  get(@Principal() principal: Principal, @Param('id') id: string): Promise<OptOutView> {
    return this.rpc.call(getOptOutRpc, principal, { id });
  }

  @Get()
  @Declare({
    access: 'key-or-session',
    scope: 'opt_outs:read',
    errors: [messagingErrors.INVALID_PHONE],
    cost: 1,
    docs: {
      operationId: 'listOptOuts',
      tag: 'Contacts',
      summary: 'List opt-outs',
      description: 'The opt-outs in force, newest first. Filters are combined with AND.',
      query: ListOptOutsQuery,
      answers: { 200: { description: 'A page of opt-outs.', body: { pageOf: 'OptOut' } } },
    },
  })
  list(@Principal() principal: Principal, @Query() query: ListOptOutsQuery): Promise<Page<OptOutView>> {
    const { contactId = null, phone = null, messagingChannelId = null } = query;
    return this.rpc.call(listOptOutsRpc, principal, { ...pageOf(query), contactId, phone, messagingChannelId });
  }

  @Delete(':id')
  @HttpCode(204)
  @Declare({
    access: 'key-or-session',
    scope: 'opt_outs:write',
    errors: [contactsErrors.OPT_OUT_NOT_FOUND],
    cost: 1,
    docs: {
      operationId: 'deleteOptOut',
      tag: 'Contacts',
      summary: 'Remove an opt-out',
      description:
        'Once this has answered, sends to the contact pass again, unless another opt-out covers the channel.',
      answers: { 204: { description: 'The opt-out is removed.', body: null } },
    },
  })
  async delete(@Principal() principal: Principal, @Param('id') id: string): Promise<void> {
    await this.rpc.call(deleteOptOutRpc, principal, { id });
  }
}
