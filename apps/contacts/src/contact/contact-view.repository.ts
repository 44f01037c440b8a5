import { Injectable } from '@nestjs/common';
import type { ContactView } from '@switchboard/contracts/contacts/http';
import { Database, statement } from '@switchboard/postgres';
import { contactView, type ContactViewParts } from './contact.policy.js';

/** A row as views are made of it; the count of channels is the organization's. */
export interface ContactViewRow extends ContactViewParts {
  readonly channels: number;
}

/**
 * The columns of `ContactViewRow`, of a contact `c` of the organization `$1`. Opt-outs are looked up only where there are
 * any, those of a merged contact at the one that goes on; the count of channels once for all rows.
 */
export const VIEW_COLUMNS = `c.id, c.phone, c.messaging_id AS "messagingId", c.name, c.email, c.coverage,
  c.updated_at AS "updatedAt", (SELECT count(*)::int FROM channel h WHERE h.organization_id = $1) AS channels,
  CASE WHEN c.coverage = 0 THEN '{}' ELSE ARRAY(SELECT o.channel_id FROM opt_out o
    WHERE o.organization_id = c.organization_id AND o.contact_id = coalesce(c.merged_into, c.id) AND o.channel_id <> '*') END
    AS "optedOutChannelIds"`;

const getSql = statement<ContactViewRow>(
  'contacts.view.get',
  `SELECT ${VIEW_COLUMNS} FROM contact c WHERE c.organization_id = $1 AND c.id = $2`,
);

/** One contact as the API shows it. */
@Injectable()
export class ContactViewRepository {
  constructor(private readonly database: Database) {}

  async get(organizationId: string, id: string): Promise<ContactView | null> {
    const [row] = await this.database.query(getSql, [organizationId, id]);
    return row ? viewOf(row) : null;
  }
}

/** A row as the API shows it. */
export function viewOf(row: ContactViewRow): ContactView {
  return contactView(row, row.channels);
}
