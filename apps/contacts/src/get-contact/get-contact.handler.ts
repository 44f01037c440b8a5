import { Controller } from '@nestjs/common';
import { contactsErrors } from '@switchboard/contracts/contacts/errors';
import type { ContactView } from '@switchboard/contracts/contacts/http';
import { getContactRpc } from '@switchboard/contracts/contacts/rpc';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { ContactViewRepository } from '../contact/contact-view.repository.js';

/** Answers `contacts.get-contact`. */
@Controller()
export class GetContactHandler {
  constructor(private readonly contacts: ContactViewRepository) {}

  /** @throws CONTACT_NOT_FOUND */
  @RpcHandler(getContactRpc)
  async get({ principal, request }: RpcCall<{ readonly id: string }>): Promise<ContactView> {
    const contact = await this.contacts.get(principal.organizationId, request.id);
    if (!contact) throw new AppError(contactsErrors.CONTACT_NOT_FOUND);
    return contact;
  }
}
