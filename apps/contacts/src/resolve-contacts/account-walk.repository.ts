import { Injectable } from '@nestjs/common';
import { Database, statement } from '@switchboard/postgres';
import type { Contact } from '../contact/contact.entity.js';
import type { StoredSighting } from './resolve-contacts.js';

/** A contact as the walk sees it. */
export interface WalkedContact extends StoredSighting {
  /** Whose number the upstream's id is; null: none's, or the contact was merged into another. */
  readonly accountOf: string | null;
}

/** Behind which contact the walk goes on, by organization and id. */
export type WalkedTo = Pick<Contact, 'organizationId' | 'id'>;

const findSql = statement<WalkedTo>(
  'contacts.account-walk.find',
  'SELECT organization_id AS "organizationId", contact_id AS id FROM account_walk WHERE id = 1 AND due_at <= now()',
);
/** By the primary key of `contact`, and one look at that of `contact_alias` a contact, whatever the planner knows of the two. */
const sliceSql = statement<WalkedContact>(
  'contacts.account-walk.slice',
  `SELECT c.organization_id AS "organizationId", c.id, c.phone, c.messaging_id AS "messagingId",
     CASE WHEN c.merged_into IS NULL THEN
       (SELECT a.contact_id FROM contact_alias a
        WHERE a.organization_id = c.organization_id AND a.alias = '+' || c.messaging_id) END AS "accountOf"
   FROM contact c WHERE (c.organization_id, c.id) > ($1, $2)
   ORDER BY c.organization_id, c.id LIMIT $3`,
);
/** Another replica may have gone on already. */
const advanceSql = statement(
  'contacts.account-walk.advance',
  `UPDATE account_walk SET organization_id = $3, contact_id = $4
   WHERE id = 1 AND (organization_id, contact_id) = ($1, $2)`,
);
const endSql = statement(
  'contacts.account-walk.end',
  'DELETE FROM account_walk WHERE id = 1 AND (organization_id, contact_id) = ($1, $2)',
);

/** How far all contacts are looked through, once. */
@Injectable()
export class AccountWalkRepository {
  constructor(private readonly database: Database) {}

  /** Null before it begins, and after its end. */
  async find(): Promise<WalkedTo | null> {
    return (await this.database.query(findSql, []))[0] ?? null;
  }

  /** The next contacts, at most so many. */
  slice({ organizationId, id }: WalkedTo, atMost: number): Promise<WalkedContact[]> {
    return this.database.query(sliceSql, [organizationId, id, atMost]);
  }

  async advance(from: WalkedTo, to: WalkedTo): Promise<void> {
    await this.database.query(advanceSql, [from.organizationId, from.id, to.organizationId, to.id]);
  }

  /** There is nothing behind it. */
  async end({ organizationId, id }: WalkedTo): Promise<void> {
    await this.database.query(endSql, [organizationId, id]);
  }
}
