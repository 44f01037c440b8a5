import { Controller } from '@nestjs/common';
import { ALL_CHANNELS, createOptOutRpc, type CreateOptOutRequest } from '@switchboard/contracts/contacts/rpc';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { RpcResponseOf } from '@switchboard/contracts/grammar/define-rpc';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { Principal } from '@switchboard/contracts/grammar/principal';
import { activeTraceparent, RpcHandler, type RpcCall } from '@switchboard/nats';
import { ChannelDirectory } from '../channel/channel-directory.js';
import { ChangeContactsBatch } from '../contact/change-contacts.batch.js';
import { optOutView } from '../contact/contact-events.policy.js';
import { SendFence } from '../opt-out/send-fence.client.js';
import { createOptOut, type OptOutWish } from './create-opt-out.js';

/** Answers `contacts.create-opt-out`. */
@Controller()
export class CreateOptOutHandler {
  constructor(
    private readonly batch: ChangeContactsBatch,
    private readonly directory: ChannelDirectory,
    private readonly fence: SendFence,
  ) {}

  /** @throws CHANNEL_NOT_FOUND, INVALID_PHONE, CONTACT_NOT_FOUND, SERVICE_UNAVAILABLE */
  @RpcHandler(createOptOutRpc)
  async create(call: RpcCall<CreateOptOutRequest>): Promise<RpcResponseOf<typeof createOptOutRpc>> {
    const { principal, request, signal } = call;
    const { messagingChannelId, reason } = request;
    if (messagingChannelId !== null) await this.directory.require(principal, messagingChannelId);
    const wish: OptOutWish = {
      of: await this.ownerOf(principal, request),
      channelId: messagingChannelId ?? ALL_CHANNELS,
      source: principal.actor.type === 'user' ? 'CONSOLE' : 'API',
      reason,
    };
    const change = createOptOut(principal.organizationId, wish, activeTraceparent());
    const { contact, optOut, isNew } = await this.batch.change(change, signal);
    // Also for one that stands: the call that made it may have ended before messaging confirmed it.
    await this.fence.raise(principal, contact);
    return { optOut: optOutView(optOut, contact), isNew };
  }

  private async ownerOf(principal: Principal, request: CreateOptOutRequest): Promise<OptOutWish['of']> {
    const { contactId, phone, messagingChannelId } = request;
    if (contactId !== null) return { contactId };
    if (phone !== null) return { phone: await this.directory.readPhone(principal, phone, messagingChannelId) };
    throw new AppError(serviceErrors.VALIDATION_FAILED, 'Exactly one of `contactId` and `phone` must be given');
  }
}
