import { Injectable } from '@nestjs/common';
import type { ListOptOutsRequest } from '@switchboard/contracts/contacts/rpc';
import { Database, statement } from '@switchboard/postgres';
import type { OptOut } from '../contact/contact.entity.js';
import { MergedContactRepository } from '../contact/merged-contact.repository.js';

/** An opt-out with the contact that it belongs to. */
export interface OptOutRow extends OptOut {
  readonly contactId: string;
  readonly phone: string;
}

/** What a page is filtered by; the phone is read already. */
export interface OptOutFilter extends Pick<ListOptOutsRequest, 'cursor' | 'contactId' | 'messagingChannelId'> {
  /** Every written form of the phone; null for no filter. */
  readonly aliases: readonly string[] | null;
}

const COLUMNS = `o.id, o.channel_id AS "channelId", o.source, o.reason, o.contact_id AS "contactId", c.phone`;
const FROM = `SELECT ${COLUMNS} FROM opt_out o JOIN contact c ON c.organization_id = o.organization_id AND c.id = o.contact_id
  WHERE o.organization_id = $1`;

const getSql = statement<OptOutRow>('contacts.opt-out.get', `${FROM} AND o.id = $2`);
/** Newest first, one `<` for the cursor: by the primary key, or by the index of the filter. */
const listSql = statement<OptOutRow>('contacts.opt-out.list', `${FROM} AND o.id < $2 ORDER BY o.id DESC LIMIT $3`);
const listOfChannelSql = statement<OptOutRow>(
  'contacts.opt-out.list-channel',
  `${FROM} AND o.id < $2 AND o.channel_id = $4 ORDER BY o.id DESC LIMIT $3`,
);
/** A contact has at most one opt-out a channel: few enough to be sorted. LIMIT keeps it a look-up by `opt_out_contact`. */
const listOfContactsSql = statement<OptOutRow>(
  'contacts.opt-out.list-contacts',
  `SELECT ${COLUMNS} FROM unnest($4::text[]) AS asked(contact_id)
   CROSS JOIN LATERAL (SELECT * FROM opt_out i
     WHERE i.organization_id = $1 AND i.contact_id = asked.contact_id LIMIT 10000) o
   JOIN contact c ON c.organization_id = o.organization_id AND c.id = o.contact_id
   WHERE o.id < $2 AND ($5::text IS NULL OR o.channel_id = $5) ORDER BY o.id DESC LIMIT $3`,
);
const contactsOfSql = statement<{ id: string }>(
  'contacts.opt-out.contacts-of',
  `SELECT DISTINCT contact_id AS id FROM contact_alias WHERE organization_id = $1 AND alias = ANY ($2::text[])`,
);
/** Sorts after every id. */
const FIRST_PAGE = 'd';

/** Reads of opt-outs. */
@Injectable()
export class OptOutRepository {
  constructor(
    private readonly database: Database,
    private readonly merged: MergedContactRepository,
  ) {}

  async get(organizationId: string, id: string): Promise<OptOutRow | null> {
    const [row] = await this.database.query(getSql, [organizationId, id]);
    return row ?? null;
  }

  /** At most `limit` rows behind the cursor, newest first. */
  async list(organizationId: string, filter: OptOutFilter, limit: number): Promise<OptOutRow[]> {
    const { cursor, messagingChannelId } = filter;
    const values = [organizationId, cursor ?? FIRST_PAGE, limit];
    const contactIds = await this.contactIdsOf(organizationId, filter);
    if (contactIds) return this.database.query(listOfContactsSql, [...values, contactIds, messagingChannelId]);
    if (messagingChannelId === null) return this.database.query(listSql, values);
    return this.database.query(listOfChannelSql, [...values, messagingChannelId]);
  }

  /** The contacts that the filter leaves, or null when it says nothing of them. */
  private async contactIdsOf(organizationId: string, filter: OptOutFilter): Promise<string[] | null> {
    const { aliases } = filter;
    const contactId = filter.contactId === null ? null : await this.merged.goingOn(organizationId, filter.contactId);
    if (aliases === null) return contactId === null ? null : [contactId];
    const rows = await this.database.query(contactsOfSql, [organizationId, aliases]);
    return rows.map(({ id }) => id).filter((id) => contactId === null || id === contactId);
  }
}
