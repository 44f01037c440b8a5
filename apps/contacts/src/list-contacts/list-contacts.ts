import { Injectable } from '@nestjs/common';
import type { ContactView } from '@switchboard/contracts/contacts/http';
import type { ListContactsRequest } from '@switchboard/contracts/contacts/rpc';
import type { Page } from '@switchboard/contracts/grammar/page';
import type { Principal } from '@switchboard/contracts/grammar/principal';
import type { Budget } from '@switchboard/nats';
import { readKeysetPage } from '@switchboard/postgres';
import { ChannelDirectory } from '../channel/channel-directory.js';
import { ChannelRepository } from '../channel/channel.repository.js';
import { fullCoverages, partialCoverages } from '../contact/contact.policy.js';
import { ContactListRepository, type KeysetRange } from './contact-list.repository.js';
import { FIRST_WALK, searchTerm, type SearchTerm } from './search.policy.js';

/** Pages of contacts, newest first. */
@Injectable()
export class ListContacts {
  constructor(
    private readonly contacts: ContactListRepository,
    private readonly channels: ChannelRepository,
    private readonly directory: ChannelDirectory,
  ) {}

  /** @throws INVALID_PHONE */
  async execute(principal: Principal, request: ListContactsRequest, budget: Budget): Promise<Page<ContactView>> {
    const { organizationId } = principal;
    const { limit, cursor, search, phone } = request;
    const aliases = phone === null ? null : (await this.directory.readPhone(principal, phone, budget)).aliases;
    const coverages = await this.coveragesOf(organizationId, request.isOptedOut);
    const range: KeysetRange = { organizationId, cursor, coverages };
    const term = search === null ? null : searchTerm(search);
    return readKeysetPage(
      limit,
      (rowsMax) => this.read(range, aliases, term, rowsMax),
      ({ id }) => id,
      (contact) => contact,
    );
  }

  private async read(
    range: KeysetRange,
    aliases: readonly string[] | null,
    term: SearchTerm | null,
    wanted: number,
  ): Promise<ContactView[]> {
    if (aliases) return this.contacts.ofPhone(range, aliases, term, wanted);
    return term ? this.search(range, term, wanted) : this.contacts.list(range, wanted);
  }

  /** Walks the first contacts, which fills the page of a frequent term, and asks the index for the rest. */
  private async search(range: KeysetRange, term: SearchTerm, wanted: number): Promise<ContactView[]> {
    const found = await this.contacts.walk(range, FIRST_WALK, term, wanted);
    if (found.length >= wanted) return found;
    // From here on an id divides what is walked from what the index is asked for: whatever is stored or moves between two
    // statements is on one side of it.
    const { id, rows } = await this.contacts.end(range, FIRST_WALK);
    const isAll = rows < FIRST_WALK;
    const first = await this.contacts.span(range, isAll ? '' : (id ?? ''), term, wanted);
    if (isAll || first.length >= wanted) return first;
    return [...first, ...(await this.contacts.search({ ...range, cursor: id }, term, wanted - first.length))];
  }

  private async coveragesOf(organizationId: string, isOptedOut: boolean | null): Promise<readonly number[] | null> {
    if (isOptedOut === null) return null;
    const channels = await this.channels.countOf(organizationId);
    return isOptedOut ? fullCoverages(channels) : partialCoverages(channels);
  }
}
