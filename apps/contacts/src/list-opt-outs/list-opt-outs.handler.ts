import { Controller } from '@nestjs/common';
import { contactsErrors } from '@switchboard/contracts/contacts/errors';
import type { OptOutView } from '@switchboard/contracts/contacts/http';
import { listOptOutsRpc, type ListOptOutsRequest } from '@switchboard/contracts/contacts/rpc';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { Page } from '@switchboard/contracts/grammar/page';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { readKeysetPage } from '@switchboard/postgres';
import { ChannelDirectory } from '../channel/channel-directory.js';
import { optOutView } from '../contact/contact-events.policy.js';
import { ContactViewRepository } from '../contact/contact-view.repository.js';
import { OptOutRepository } from '../opt-out/opt-out.repository.js';

/** Answers `contacts.list-opt-outs`. */
@Controller()
export class ListOptOutsHandler {
  constructor(
    private readonly optOuts: OptOutRepository,
    private readonly contacts: ContactViewRepository,
    private readonly directory: ChannelDirectory,
  ) {}

  /** @throws INVALID_PHONE, CHANNEL_NOT_FOUND, CONTACT_NOT_FOUND */
  @RpcHandler(listOptOutsRpc)
  async list(call: RpcCall<ListOptOutsRequest>): Promise<Page<OptOutView>> {
    const { principal, request, budget } = call;
    const { limit, phone } = request;
    const aliases = phone === null ? null : (await this.directory.readPhone(principal, phone, budget)).aliases;
    return readKeysetPage(
      limit,
      async (rowsMax) => {
        const rows = await this.optOuts.list(principal.organizationId, { ...request, aliases }, rowsMax);
        if (rows.length === 0) await this.requireNamed(call);
        return rows;
      },
      ({ id }) => id,
      (row) => optOutView(row, { id: row.contactId, phone: row.phone }),
    );
  }

  /** A filter by an id that is none of the organization's is refused; a row would have shown that it is. */
  private async requireNamed({ principal, request, budget }: RpcCall<ListOptOutsRequest>): Promise<void> {
    const { contactId, messagingChannelId } = request;
    if (messagingChannelId !== null) await this.directory.require(principal, messagingChannelId, budget);
    if (contactId !== null && !(await this.contacts.get(principal.organizationId, contactId))) {
      throw new AppError(contactsErrors.CONTACT_NOT_FOUND);
    }
  }
}
