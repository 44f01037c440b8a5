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
import { EraseContact } from './erase-contact.js';
import { ErasedNumberRepository } from './erased-number.repository.js';

/** Answers `contacts.erase-contact`, and what the other services ask for while they erase. */
@Controller()
export class EraseContactHandler {
  constructor(
    private readonly eraseContact: EraseContact,
    private readonly numbers: ErasedNumberRepository,
  ) {}

  /** @throws CONTACT_NOT_FOUND */
  @RpcHandler(eraseContactRpc)
  async erase({ principal, request }: RpcCall<RpcRequestOf<typeof eraseContactRpc>>): Promise<Record<string, never>> {
    const isErased = await this.eraseContact.execute(principal.organizationId, request.id, request.by);
    if (!isErased) throw new AppError(contactsErrors.CONTACT_NOT_FOUND);
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
