import { Controller } from '@nestjs/common';
import { contactsErrors } from '@switchboard/contracts/contacts/errors';
import { deleteOptOutRpc } from '@switchboard/contracts/contacts/rpc';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { activeTraceparent, RpcHandler, type RpcCall } from '@switchboard/nats';
import { ChangeContactsBatch } from '../contact/change-contacts.batch.js';
import { OptOutRepository } from '../opt-out/opt-out.repository.js';
import { SendFence } from '../opt-out/send-fence.client.js';
import { deleteOptOut } from './delete-opt-out.js';
import { UnconfirmedRemovalRepository, type Removal } from './unconfirmed-removal.repository.js';

/** Answers `contacts.delete-opt-out`. */
@Controller()
export class DeleteOptOutHandler {
  constructor(
    private readonly batch: ChangeContactsBatch,
    private readonly optOuts: OptOutRepository,
    private readonly removals: UnconfirmedRemovalRepository,
    private readonly fence: SendFence,
  ) {}

  /** @throws OPT_OUT_NOT_FOUND; SERVICE_UNAVAILABLE: the same call again confirms what it has done */
  @RpcHandler(deleteOptOutRpc)
  async delete(call: RpcCall<{ readonly id: string }>): Promise<Record<string, never>> {
    const { principal, budget, callId } = call;
    const removal = await this.begin(call);
    if (!removal) return {};
    const change = deleteOptOut(removal, activeTraceparent(), callId ?? null);
    const contact = await this.batch.change(change, budget.signal);
    // So that a send passes right after the answer, as after one that was never opted out.
    await this.fence.raise(principal, contact, budget);
    await this.removals.end(removal);
    return {};
  }

  /** Null: a former try of the call has removed it, and messaging has confirmed. */
  private async begin({ principal, request, callId }: RpcCall<{ readonly id: string }>): Promise<Removal | null> {
    const { organizationId } = principal;
    const { id: optOutId } = request;
    const optOut = await this.optOuts.get(organizationId, optOutId);
    if (!optOut) {
      const begun = await this.removals.find(organizationId, optOutId);
      if (begun) return begun;
      if (callId !== undefined && (await this.removals.isDoneBy(callId))) return null;
      throw new AppError(contactsErrors.OPT_OUT_NOT_FOUND);
    }
    const removal = { organizationId, optOutId, contactId: optOut.contactId };
    await this.removals.begin(removal);
    return removal;
  }
}
