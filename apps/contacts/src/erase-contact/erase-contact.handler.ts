import { Controller } from '@nestjs/common';
import { contactsErrors } from '@switchboard/contracts/contacts/errors';
import {
  confirmErasureRpc,
  eraseContactRpc,
  getErasureRpc,
  type ErasedNumbers,
} from '@switchboard/contracts/contacts/rpc';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { RpcRequestOf } from '@switchboard/contracts/grammar/define-rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { SendFence } from '../opt-out/send-fence.client.js';
import { EraseContact } from './erase-contact.js';
import { ErasedNumberRepository } from '../erased-number/erased-number.repository.js';
import { UnconfirmedErasureRepository } from './unconfirmed-erasure.repository.js';

/** Answers `contacts.erase-contact`, and what the other services ask for while they erase. */
@Controller()
export class EraseContactHandler {
  constructor(
    private readonly eraseContact: EraseContact,
    private readonly numbers: ErasedNumberRepository,
    private readonly unconfirmed: UnconfirmedErasureRepository,
    private readonly fence: SendFence,
  ) {}

  /** @throws CONTACT_NOT_FOUND; SERVICE_UNAVAILABLE: another call confirms what this one has done */
  @RpcHandler(eraseContactRpc)
  async erase(call: RpcCall<RpcRequestOf<typeof eraseContactRpc>>): Promise<Record<string, never>> {
    const { principal, request, budget } = call;
    const erasure = await this.eraseContact.execute(principal.organizationId, request.id, request.by);
    if (erasure === 'not-found') throw new AppError(contactsErrors.CONTACT_NOT_FOUND);
    if (erasure === 'repeated') return {};
    const { contactId, version, erasedAt } = erasure;
    const { phoneForms, former } = await this.numbers.find(principal.organizationId, contactId);
    const names = { phoneForms, former, erasedAt: erasedAt.toISOString() };
    // So that a send that begins after the answer is to a new contact.
    await this.fence.forget(principal, { contactId, version, names }, budget);
    await this.unconfirmed.end(erasure);
    return {};
  }

  @RpcHandler(getErasureRpc)
  find({ principal, request }: RpcCall<{ readonly contactId: string }>): Promise<ErasedNumbers> {
    return this.numbers.find(principal.organizationId, request.contactId);
  }

  @RpcHandler(confirmErasureRpc)
  async confirm({
    principal,
    request,
  }: RpcCall<RpcRequestOf<typeof confirmErasureRpc>>): Promise<Record<string, never>> {
    await this.numbers.confirm(principal.organizationId, request.contactId, request.service);
    return {};
  }
}
