import { Controller } from '@nestjs/common';
import type { ContactView } from '@switchboard/contracts/contacts/http';
import { listContactsRpc, type ListContactsRequest } from '@switchboard/contracts/contacts/rpc';
import type { Page } from '@switchboard/contracts/grammar/page';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { ListContacts } from './list-contacts.js';

/** Answers `contacts.list-contacts`. */
@Controller()
export class ListContactsHandler {
  constructor(private readonly listContacts: ListContacts) {}

  /** @throws INVALID_PHONE */
  @RpcHandler(listContactsRpc)
  async list({ principal, request, budget }: RpcCall<ListContactsRequest>): Promise<Page<ContactView>> {
    return this.listContacts.execute(principal, request, budget);
  }
}
