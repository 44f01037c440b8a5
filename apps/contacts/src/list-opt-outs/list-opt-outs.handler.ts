import { Controller } from '@nestjs/common';
import type { OptOutView } from '@switchboard/contracts/contacts/http';
import { listOptOutsRpc, type ListOptOutsRequest } from '@switchboard/contracts/contacts/rpc';
import type { Page } from '@switchboard/contracts/grammar/page';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { readKeysetPage } from '@switchboard/postgres';
import { ChannelDirectory } from '../channel/channel-directory.js';
import { optOutView } from '../contact/contact-events.policy.js';
import { OptOutRepository } from '../opt-out/opt-out.repository.js';

/** Answers `contacts.list-opt-outs`. */
@Controller()
export class ListOptOutsHandler {
  constructor(
    private readonly optOuts: OptOutRepository,
    private readonly directory: ChannelDirectory,
  ) {}

  /** None where a filter names what does not exist. Source: docs/api-behaviour.md#filters. @throws INVALID_PHONE */
  @RpcHandler(listOptOutsRpc)
  async list({ principal, request, budget }: RpcCall<ListOptOutsRequest>): Promise<Page<OptOutView>> {
    const { limit, phone } = request;
    const aliases = phone === null ? null : (await this.directory.readPhone(principal, phone, budget)).aliases;
    return readKeysetPage(
      limit,
      (rowsMax) => this.optOuts.list(principal.organizationId, { ...request, aliases }, rowsMax),
      ({ id }) => id,
      (row) => optOutView(row, { id: row.contactId, phone: row.phone }),
    );
  }
}
