import { Injectable } from '@nestjs/common';
import { Database, statement, type Transaction } from '@switchboard/postgres';
import type { Contact } from './contact.entity.js';
import { ContactRepository } from './contact.repository.js';

const idsSql = statement<{ id: string }>(
  'contacts.merged.ids',
  'SELECT id FROM contact WHERE organization_id = $1 AND merged_into = $2 ORDER BY id',
);
const goingOnSql = statement<{ id: string }>(
  'contacts.merged.going-on',
  'SELECT coalesce(merged_into, id) AS id FROM contact WHERE organization_id = $1 AND id = $2',
);

/** Contacts that turned out to be the person of another, which goes on for them. */
@Injectable()
export class MergedContactRepository {
  constructor(
    private readonly database: Database,
    private readonly contacts: ContactRepository,
  ) {}

  /** Those that were merged into the contact. */
  async findOf({ organizationId, id }: Pick<Contact, 'organizationId' | 'id'>): Promise<Contact[]> {
    const ids = (await this.database.query(idsSql, [organizationId, id])).map((row) => row.id);
    if (ids.length === 0) return [];
    const found = await this.contacts.find([{ organizationId, aliases: [], contactIds: ids }]);
    return found.filter((contact) => ids.includes(contact.id));
  }

  /** The id of the contact that an id stands for; its own unless it was merged, or is none. */
  async goingOn(organizationId: string, id: string): Promise<string> {
    const [row] = await this.database.query(goingOnSql, [organizationId, id]);
    return row?.id ?? id;
  }
}

/** Ids of those that were merged into the contact, in their order. In the transaction that has it locked. */
export async function mergedIdsOf(tx: Transaction, organizationId: string, id: string): Promise<string[]> {
  return (await tx.query(idsSql, [organizationId, id])).map((row) => row.id);
}
