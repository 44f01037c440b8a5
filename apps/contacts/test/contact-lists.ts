import type { ContactView } from '@switchboard/contracts/contacts/http';
import type { ListContactsRequest } from '@switchboard/contracts/contacts/rpc';
import type { Page } from '@switchboard/contracts/grammar/page';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { systemPrincipal } from '@switchboard/contracts/grammar/principal';
import { Budget, type RpcClient } from '@switchboard/nats';
import type { Database } from '@switchboard/postgres';
import type { ServiceDatabase } from '@switchboard/testing';
import { ChannelDirectory } from '../src/channel/channel-directory.js';
import { ChannelRepository } from '../src/channel/channel.repository.js';
import { storeContacts } from '../src/contact/contact.repository.js';
import { ContactListRepository } from '../src/list-contacts/contact-list.repository.js';
import { ListContacts } from '../src/list-contacts/list-contacts.js';
import { fillContacts } from '../src/seed.js';
import { costOf, type StatementCost } from './statement-cost.js';

/** The organization that `fill` fills, and how far. */
export const MANY_OF = 'cmanycontacts';
/** Four segments of the search. */
export const MANY = 30_000;

const NEW = { optOuts: [], appliedStatements: null, mergedInto: null, version: 1, versionFloor: 0 };

/** What a test says of a contact that it stores. */
export interface ContactParts {
  readonly name?: string | null;
  readonly phone?: string;
  readonly email?: string | null;
}

/** Lists of contacts in a database of their own. */
export class ContactLists {
  readonly repository: ContactListRepository;
  private readonly listContacts: ListContacts;

  private constructor(
    readonly database: Database,
    readonly superuser: Database,
  ) {
    const channels = new ChannelRepository(database);
    this.repository = new ContactListRepository(database);
    const unreachable = { call: () => Promise.reject(new Error('messaging was asked')) } as unknown as RpcClient;
    this.listContacts = new ListContacts(this.repository, channels, new ChannelDirectory(channels, unreachable));
  }

  /** Opens them, with `MANY_OF` filled. */
  static async open(prepared: ServiceDatabase): Promise<ContactLists> {
    const lists = new ContactLists(await prepared.database(), await prepared.superuser());
    const client = lists.superuser.dataSource.createQueryRunner();
    await fillContacts((sql, values) => client.query(sql, [...values]), {
      organizationId: MANY_OF,
      contacts: MANY,
      channelIds: ['cchannel1', 'cchannel2'],
    });
    await client.release();
    return lists;
  }

  /** One page. */
  list(organizationId: string, request: Partial<ListContactsRequest> = {}): Promise<Page<ContactView>> {
    const nothing = { limit: 25, cursor: null, search: null, phone: null, isOptedOut: null };
    return this.listContacts.execute(
      systemPrincipal(organizationId, 'test'),
      { ...nothing, ...request },
      new Budget(60_000),
    );
  }

  /** The ids of all pages. @throws Error when a page that is not the last is empty */
  async walk(organizationId: string, request: Partial<ListContactsRequest> = {}): Promise<string[]> {
    const ids: string[] = [];
    for (let cursor: string | null | undefined = null; cursor !== undefined;) {
      const page: Page<ContactView> = await this.list(organizationId, { ...request, cursor });
      if (page.items.length === 0 && page.nextCursor !== undefined) throw new Error('an empty page has a next one');
      ids.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    return ids;
  }

  /** Stores contacts with the names given, oldest first. @returns their ids */
  async insert(organizationId: string, parts: readonly ContactParts[]): Promise<string[]> {
    const writes = parts.map(({ name = null, phone = '', email = null }) => {
      const own = { organizationId, id: newCuid(), phone, name, email, messagingId: '', aliases: phone ? [phone] : [] };
      return {
        before: null,
        after: { ...own, ...NEW, updatedAt: new Date() },
      };
    });
    await this.database.transaction((tx) => storeContacts(tx, writes));
    return writes.map(({ after }) => after.id);
  }

  /** A page of the filled organization, and what it cost. */
  cost(request: Partial<ListContactsRequest>): Promise<StatementCost<Page<ContactView>>> {
    return costOf(this.database, () => this.list(MANY_OF, request));
  }
}
