import { Injectable } from '@nestjs/common';
import { Database, statement } from '@switchboard/postgres';
import type { Contact } from './contact.entity.js';

/** What is asked for: contacts by what they are found by, and by their ids. */
export interface ContactQuestion {
  readonly organizationId: string;
  readonly aliases: readonly string[];
  readonly contactIds: readonly string[];
}

interface ContactRow extends Omit<Contact, 'aliases' | 'optOuts'> {
  readonly aliases: readonly string[] | null;
  readonly optOuts: Contact['optOuts'] | null;
}

/**
 * By the primary key of `contact_alias`, then of `contact`; aliases by `contact_alias_contact`, opt-outs by
 * `opt_out_contact`, and only where there are any.
 */
const findContacts = statement<ContactRow>(
  'contacts.find',
  `SELECT c.organization_id AS "organizationId", c.id, c.phone, c.messaging_id AS "messagingId", c.name, c.email,
     c.version::float8 AS version, c.updated_at AS "updatedAt", c.applied_statements AS heard,
     (SELECT array_agg(a.alias ORDER BY a.alias) FROM contact_alias a
      WHERE a.organization_id = c.organization_id AND a.contact_id = c.id) AS aliases,
     CASE WHEN c.coverage <> 0 THEN
       (SELECT json_agg(json_build_object('id', o.id, 'channelId', o.channel_id, 'source', o.source, 'reason', o.reason)
          ORDER BY o.id) FROM opt_out o
        WHERE o.organization_id = c.organization_id AND o.contact_id = c.id) END AS "optOuts"
   FROM (
     SELECT a.organization_id, a.contact_id FROM unnest($1::text[], $2::text[]) AS asked(organization_id, alias)
     JOIN contact_alias a ON a.organization_id = asked.organization_id AND a.alias = asked.alias
     UNION
     SELECT * FROM unnest($3::text[], $4::text[]) AS asked(organization_id, contact_id)
   ) found
   JOIN contact c ON c.organization_id = found.organization_id AND c.id = found.contact_id`,
);

/** Reads of contacts as changes need them. */
@Injectable()
export class ContactRepository {
  constructor(private readonly database: Database) {}

  /** The contacts behind the questions, each once. One statement. */
  async find(questions: readonly ContactQuestion[]): Promise<Contact[]> {
    const pairs = (of: (question: ContactQuestion) => readonly string[]): [string[], string[]] => {
      const keys = questions.flatMap((question) => of(question).map((key) => [question.organizationId, key] as const));
      return [keys.map(([organizationId]) => organizationId), keys.map(([, key]) => key)];
    };
    const rows = await this.database.query(findContacts, [
      ...pairs(({ aliases }) => aliases),
      ...pairs(({ contactIds }) => contactIds),
    ]);
    return rows.map((row) => ({ ...row, aliases: row.aliases ?? [], optOuts: row.optOuts ?? [] }));
  }
}
