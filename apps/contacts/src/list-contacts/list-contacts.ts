import { Injectable } from '@nestjs/common';
import type { ContactView } from '@switchboard/contracts/contacts/http';
import type { ListContactsRequest } from '@switchboard/contracts/contacts/rpc';
import type { Page } from '@switchboard/contracts/grammar/page';
import type { Principal } from '@switchboard/contracts/grammar/principal';
import { keysetPage } from '@switchboard/postgres';
import { ChannelDirectory } from '../channel/channel-directory.js';
import { ChannelRepository } from '../channel/channel.repository.js';
import { fullCoverages, partialCoverages } from '../contact/contact.policy.js';
import { ContactListRepository, type Stretch } from './contact-list.repository.js';
import { FIRST_WALK, gramsQuery, needsSample, nextWalk, searchTerm, type SearchTerm } from './search.policy.js';

/** Contacts that a sample looks at, about 1 ms. */
const SAMPLE = 500;

/** Pages of contacts, newest first. */
@Injectable()
export class ListContacts {
  constructor(
    private readonly contacts: ContactListRepository,
    private readonly channels: ChannelRepository,
    private readonly directory: ChannelDirectory,
  ) {}

  /** @throws INVALID_PHONE */
  async execute(principal: Principal, request: ListContactsRequest): Promise<Page<ContactView>> {
    const { organizationId } = principal;
    const { limit, cursor, search, phone } = request;
    const aliases = phone === null ? null : (await this.directory.readPhone(principal, phone)).aliases;
    const coverages = await this.coveragesOf(organizationId, request.isOptedOut);
    const stretch: Stretch = { organizationId, cursor, coverages };
    const term = search === null ? null : searchTerm(organizationId, search);
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
    stretch: Stretch,
    aliases: readonly string[] | null,
    term: SearchTerm | null,
    wanted: number,
  ): Promise<ContactView[]> {
    if (aliases) return this.contacts.ofPhone(stretch, aliases, term, wanted);
    return term ? this.search(stretch, term, wanted) : this.contacts.list(stretch, wanted);
  }

  /** Walks as long as that promises to fill the page soon, then asks the index for the rest. */
  private async search(whole: Stretch, term: SearchTerm, wanted: number): Promise<ContactView[]> {
    const found: ContactView[] = [];
    let stretch = whole;
    for (let walked = 0, rows = FIRST_WALK; ;) {
      found.push(...(await this.contacts.walk(stretch, rows, term, wanted - found.length)));
      if (found.length >= wanted) return found;
      walked += rows;
      const next = nextWalk({ walked, found: found.length, wanted });
      const [end, frequencies] = await Promise.all([
        this.contacts.end(stretch, rows),
        // The newest contacts tell which parts of the term are rare.
        next === 0 && needsSample(term) ? this.contacts.sample(whole, SAMPLE, term.grams) : new Map<string, number>(),
      ]);
      if (end.rows < rows) return found;
      stretch = { ...stretch, cursor: end.id };
      if (next > 0) rows = next;
      else {
        const grams = gramsQuery(term, frequencies);
        return [...found, ...(await this.contacts.search(stretch, term, grams, wanted - found.length))];
      }
    }
  }

  private async coveragesOf(organizationId: string, isOptedOut: boolean | null): Promise<readonly number[] | null> {
    if (isOptedOut === null) return null;
    const channels = await this.channels.countOf(organizationId);
    return isOptedOut ? fullCoverages(channels) : partialCoverages(channels);
  }
}
