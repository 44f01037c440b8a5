import { Controller } from '@nestjs/common';
import { contactsErrors } from '@switchboard/contracts/contacts/errors';
import { deleteOptOutRpc } from '@switchboard/contracts/contacts/rpc';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { activeTraceparent, RpcHandler, type RpcCall } from '@switchboard/nats';
import { ChangeContactsBatch } from '../contact/change-contacts.batch.js';
import { OptOutRepository } from '../opt-out/opt-out.repository.js';
import { SendFence } from '../opt-out/send-fence.client.js';
import { deleteOptOut } from './delete-opt-out.js';

/** Answers `contacts.delete-opt-out`. */
@Controller()
export class DeleteOptOutHandler {
  constructor(
    private readonly batch: ChangeContactsBatch,
    private readonly optOuts: OptOutRepository,
    private readonly fence: SendFence,
  ) {}

  /** @throws OPT_OUT_NOT_FOUND, SERVICE_UNAVAILABLE */
  @RpcHandler(deleteOptOutRpc)
  async delete(call: RpcCall<{ readonly id: string }>): Promise<Record<string, never>> {
    const { principal, request, signal } = call;
    const optOut = await this.optOuts.get(principal.organizationId, request.id);
    if (!optOut) throw new AppError(contactsErrors.OPT_OUT_NOT_FOUND);
    const change = deleteOptOut(principal.organizationId, optOut, activeTraceparent());
    const contact = await this.batch.change(change, signal);
    // So that a send passes right after the answer, as after one that was never opted out.
    await this.fence.raise(principal, contact);
    return {};
  }
}
