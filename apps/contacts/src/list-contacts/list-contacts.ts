import { Injectable } from '@nestjs/common';
import type { ContactView } from '@switchboard/contracts/contacts/http';
import type { ListContactsRequest } from '@switchboard/contracts/contacts/rpc';
import type { Page } from '@switchboard/contracts/grammar/page';
import type { Principal } from '@switchboard/contracts/grammar/principal';
import type { Budget } from '@switchboard/nats';
import { keysetPage } from '@switchboard/postgres';
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
    const stretch: KeysetRange = { organizationId, cursor, coverages };
    const term = search === null ? null : searchTerm(search);
    // One more than is shown tells whether there is a next page.
    const rows = await this.read(stretch, aliases, term, limit + 1);
    return keysetPage(
      rows,
      limit,
      ({ id }) => id,
      (contact) => contact,
    );
  }

  private async read(
    stretch: KeysetRange,
    aliases: readonly string[] | null,
    term: SearchTerm | null,
    wanted: number,
  ): Promise<ContactView[]> {
    if (aliases) return this.contacts.ofPhone(stretch, aliases, term, wanted);
    return term ? this.search(stretch, term, wanted) : this.contacts.list(stretch, wanted);
  }

  /** Walks the first contacts, which fills the page of a frequent term, and asks the index for the rest. */
  private async search(stretch: KeysetRange, term: SearchTerm, wanted: number): Promise<ContactView[]> {
    const found = await this.contacts.walk(stretch, FIRST_WALK, term, wanted);
    if (found.length >= wanted) return found;
    // From here on an id divides what is walked from what the index is asked for: whatever is stored or moves between two
    // statements is on one side of it.
    const { id, rows } = await this.contacts.end(stretch, FIRST_WALK);
    const isAll = rows < FIRST_WALK;
    const first = await this.contacts.span(stretch, isAll ? '' : (id ?? ''), term, wanted);
    if (isAll || first.length >= wanted) return first;
    return [...first, ...(await this.contacts.search({ ...stretch, cursor: id }, term, wanted - first.length))];
  }

  private async coveragesOf(organizationId: string, isOptedOut: boolean | null): Promise<readonly number[] | null> {
    if (isOptedOut === null) return null;
    const channels = await this.channels.countOf(organizationId);
    return isOptedOut ? fullCoverages(channels) : partialCoverages(channels);
  }
}
