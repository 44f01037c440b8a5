import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Query, Res } from '@nestjs/common';
import { gatewayContactActsConsumer } from '@switchboard/contracts/consumers';
import { contactsErrors } from '@switchboard/contracts/contacts/errors';
import type { ContactView } from '@switchboard/contracts/contacts/http';
import { eraseContactRpc, getContactRpc, listContactsRpc, upsertContactRpc } from '@switchboard/contracts/contacts/rpc';
import type { Page } from '@switchboard/contracts/grammar/page';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import { RpcClient } from '@switchboard/nats';
import type { FastifyReply } from 'fastify';
import { actorOf } from '../../acts/actor-of.js';
import { pageOf } from '../../http/input/page.query.js';
import { CallerAct, Principal } from '../../http/request.decorator.js';
import { Declare } from '../../http/route-declaration.js';
import { AUDIT_TRAIL, type AuditTrail } from '../../identity/audit.contract.js';
import { ListContactsQuery } from './list-contacts.query.js';
import { changedContacts, newContacts, UpsertContactBody, upsertContactBody } from './upsert-contact.body.js';

/** `/v1/contacts`, and `/app/api/contacts` for every member. Source: docs/api-behaviour.md#contacts. */
@Controller(['v1/contacts', 'app/api/contacts'])
export class ContactsController {
  constructor(
    private readonly rpc: RpcClient,
    @Inject(AUDIT_TRAIL) private readonly auditTrail: AuditTrail,
  ) {}

  @Post()
  @Declare({
    access: 'key-or-session',
    scope: 'contacts:write',
    paidScope: 'contacts:write',
    errors: [messagingErrors.INVALID_PHONE],
    cost: 1,
    docs: {
      operationId: 'upsertContact',
      tag: 'Contacts',
      summary: 'Create or update a contact',
      description:
        'By its phone: every written form of one number is the same contact. Concurrent calls for one phone make one contact.',
      body: upsertContactBody,
      answers: {
        200: { description: 'The contact existed, and is updated.', body: 'Contact', examples: changedContacts },
        201: { description: 'The contact is new.', body: 'Contact', examples: newContacts },
      },
    },
  })
  async upsert(
    @Principal() principal: Principal,
    @Body() { phone, name, email }: UpsertContactBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ContactView> {
    // A field that is left out keeps what the contact has.
    const fields = { phone, ...(name !== undefined && { name }), ...(email !== undefined && { email }) };
    const { contact, isNew } = await this.rpc.call(upsertContactRpc, principal, fields);
    reply.code(isNew ? 201 : 200);
    return contact;
  }

  @Get(':id')
  @Declare({
    access: 'key-or-session',
    scope: 'contacts:read',
    errors: [contactsErrors.CONTACT_NOT_FOUND],
    cost: 1,
    docs: {
      operationId: 'getContact',
      tag: 'Contacts',
      summary: 'Read a contact',
      description: 'The contact with its opt-outs as they are now.',
      answers: { 200: { description: 'The contact.', body: 'Contact' } },
    },
  })
  get(@Principal() principal: Principal, @Param('id') id: string): Promise<ContactView> {
    return this.rpc.call(getContactRpc, principal, { id });
  }

  @Get()
  @Declare({
    access: 'key-or-session',
    scope: 'contacts:read',
    errors: [messagingErrors.INVALID_PHONE],
    cost: 1,
    docs: {
      operationId: 'listContacts',
      tag: 'Contacts',
      summary: 'List and search contacts',
      description: 'Newest first. Filters are combined with AND.',
      query: ListContactsQuery,
      answers: { 200: { description: 'A page of contacts.', body: { pageOf: 'Contact' } } },
    },
  })
  list(@Principal() principal: Principal, @Query() query: ListContactsQuery): Promise<Page<ContactView>> {
    const { search = null, phone = null, isOptedOut = null } = query;
    return this.rpc.call(listContactsRpc, principal, { ...pageOf(query), search, phone, isOptedOut });
  }

  @Delete(':id')
  @HttpCode(204)
  @Declare({
    access: 'key-or-session',
    scope: 'contacts:write',
    errors: [contactsErrors.CONTACT_NOT_FOUND],
    cost: 1,
    docs: {
      operationId: 'eraseContact',
      tag: 'Contacts',
      summary: 'Erase a contact',
      description:
        'For good. Name, email, numbers, and the texts, parameters, references and metadata of its messages are overwritten ' +
        'within a minute, in stored events too; ids, times, states and figures stay. Recipients that a bulk send has not begun ' +
        'are SKIPPED `ERASED`, messages still to be sent FAILED `ERASED`. Opt-outs go on holding for its numbers. What arrives ' +
        'from a number later begins a new contact.',
      answers: {
        204: {
          description: 'The contact is erased: from now on it is 404, and no send that begins is to it.',
          body: null,
        },
      },
    },
  })
  async erase(@Principal() principal: Principal, @CallerAct() act: CallerAct, @Param('id') id: string): Promise<void> {
    const by = actorOf(act);
    await this.rpc.call(eraseContactRpc, principal, { id, ...(by && { by }) });
    // The id alone: the log outlives the person's data.
    const entry = { ...act, action: 'contact.erased', before: { id }, after: null } as const;
    await this.auditTrail.recordAct(gatewayContactActsConsumer, by, entry);
  }
}
