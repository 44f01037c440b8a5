import { Controller } from '@nestjs/common';
import { ALL_CHANNELS, createOptOutRpc, type CreateOptOutRequest } from '@switchboard/contracts/contacts/rpc';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { RpcResponseOf } from '@switchboard/contracts/grammar/define-rpc';
import { activeTraceparent, RpcHandler, type RpcCall } from '@switchboard/nats';
import { findEvent } from '@switchboard/outbox';
import { Database } from '@switchboard/postgres';
import { ChannelDirectory } from '../channel/channel-directory.js';
import { ChangeContactsBatch } from '../contact/change-contacts.batch.js';
import { optOutView } from '../contact/contact-events.policy.js';
import { OptOutRepository } from '../opt-out/opt-out.repository.js';
import { SendFence } from '../opt-out/send-fence.client.js';
import { createOptOut, type OptOutInput } from './create-opt-out.js';

/** Answers `contacts.create-opt-out`. */
@Controller()
export class CreateOptOutHandler {
  constructor(
    private readonly batch: ChangeContactsBatch,
    private readonly directory: ChannelDirectory,
    private readonly optOuts: OptOutRepository,
    private readonly database: Database,
    private readonly fence: SendFence,
  ) {}

  /** @throws CHANNEL_NOT_FOUND, INVALID_PHONE, CONTACT_NOT_FOUND, SERVICE_UNAVAILABLE */
  @RpcHandler(createOptOutRpc)
  async create(call: RpcCall<CreateOptOutRequest>): Promise<RpcResponseOf<typeof createOptOutRpc>> {
    const { principal, request, budget } = call;
    const { messagingChannelId, reason } = request;
    await this.refuseLate(call);
    if (messagingChannelId !== null) await this.directory.require(principal, messagingChannelId, budget);
    const input: OptOutInput = {
      of: await this.ownerOf(call),
      channelId: messagingChannelId ?? ALL_CHANNELS,
      source: principal.actor.type === 'user' ? 'CONSOLE' : 'API',
      reason,
      newId: call.callId,
    };
    const change = createOptOut(principal.organizationId, input, activeTraceparent());
    const { contact, optOut, isNew } = await this.batch.change(change, budget.signal);
    // Also for one that stands: the call that made it may have ended before messaging confirmed it.
    await this.fence.raise(principal, contact, budget);
    return { optOut: optOutView(optOut, contact), isNew };
  }

  /**
   * A call is asked again when a process starts, while its first try may wait in another that stands still. What the second made, and somebody
   * has removed since, must not come back by the first.
   */
  private async refuseLate({ principal, callId }: RpcCall<CreateOptOutRequest>): Promise<void> {
    if (callId === undefined || (await findEvent(this.database, callId)) === null) return;
    const isRemoved = (await this.optOuts.get(principal.organizationId, callId)) === null;
    if (isRemoved) throw new AppError(serviceErrors.SERVICE_UNAVAILABLE);
  }

  private async ownerOf(call: RpcCall<CreateOptOutRequest>): Promise<OptOutInput['of']> {
    const { principal, budget } = call;
    const { contactId, phone, messagingChannelId } = call.request;
    if (contactId !== null) return { contactId };
    if (phone !== null) return { phone: await this.directory.readPhone(principal, phone, budget, messagingChannelId) };
    throw new AppError(serviceErrors.VALIDATION_FAILED, 'Exactly one of `contactId` and `phone` must be given');
  }
}
