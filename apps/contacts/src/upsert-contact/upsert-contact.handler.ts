import { Controller } from '@nestjs/common';
import { upsertContactRpc } from '@switchboard/contracts/contacts/rpc';
import type { RpcRequestOf, RpcResponseOf } from '@switchboard/contracts/grammar/define-rpc';
import { activeTraceparent, RpcHandler, type RpcCall } from '@switchboard/nats';
import { ChannelDirectory } from '../channel/channel-directory.js';
import { ChannelRepository } from '../channel/channel.repository.js';
import { ChangeContactsBatch } from '../contact/change-contacts.batch.js';
import { contactView, viewPartsOf } from '../contact/contact.policy.js';
import { upsertContact } from './upsert-contact.js';

type Rpc = typeof upsertContactRpc;

/** Answers `contacts.upsert-contact`. */
@Controller()
export class UpsertContactHandler {
  constructor(
    private readonly batch: ChangeContactsBatch,
    private readonly directory: ChannelDirectory,
    private readonly channels: ChannelRepository,
  ) {}

  /** @throws INVALID_PHONE, SERVICE_UNAVAILABLE */
  @RpcHandler(upsertContactRpc)
  async upsert({ principal, request, budget, callId }: RpcCall<RpcRequestOf<Rpc>>): Promise<RpcResponseOf<Rpc>> {
    const { organizationId } = principal;
    const phone = await this.directory.readPhone(principal, request.phone, budget);
    const change = upsertContact(organizationId, { ...request, phone, newId: callId }, activeTraceparent());
    const { contact, isNew } = await this.batch.change(change, budget.signal);
    const channels = contact.optOuts.length > 0 ? await this.channels.countOf(organizationId) : 0;
    return { contact: contactView(viewPartsOf(contact), channels), isNew };
  }
}
