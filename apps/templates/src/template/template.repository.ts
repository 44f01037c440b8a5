import { Injectable } from '@nestjs/common';
import type { ListTemplatesRequest } from '@switchboard/contracts/templates/rpc';
import { Database, statement } from '@switchboard/postgres';
import { joinChannel, viewColumns, type TemplateRow } from './template-view.js';

const findSql = statement<TemplateRow>(
  'templates.template.find',
  `SELECT ${viewColumns} FROM template t ${joinChannel} WHERE t.organization_id = $1 AND t.id = $2`,
);
const findByNameSql = statement<TemplateRow>(
  'templates.template.find-by-name',
  `SELECT ${viewColumns} FROM template t ${joinChannel}
   WHERE t.organization_id = $1 AND t.business_account_id = $2 AND t.name = $3 AND t.language = $4`,
);
/**
 * Newest first by the primary key. The filters are read off the rows: an account has some thousand templates at most, and a
 * filter that finds none reads them all in some milliseconds.
 */
const listSql = statement<TemplateRow>(
  'templates.template.list',
  `SELECT ${viewColumns} FROM (
     SELECT * FROM template i WHERE i.organization_id = $1 AND i.id < $2
       AND ($3::text IS NULL OR i.business_account_id = $3) AND ($4::text IS NULL OR i.status = $4)
       AND ($5::text IS NULL OR i.language = $5) AND ($6::text IS NULL OR strpos(i.search_name, $6) > 0)
       AND ($7::text IS NULL OR i.business_account_id = (SELECT s.business_account_id FROM channel s
         WHERE s.organization_id = $1 AND s.id = $7))
     ORDER BY i.id DESC LIMIT $8) t ${joinChannel} ORDER BY t.id DESC`,
);
/** Sorts after every id. */
const FIRST_PAGE = 'd';

/** Reads of templates. */
@Injectable()
export class TemplateRepository {
  constructor(private readonly database: Database) {}

  /** One template of the organization; null when there is none. */
  async find(organizationId: string, id: string): Promise<TemplateRow | null> {
    const [row] = await this.database.query(findSql, [organizationId, id]);
    return row ?? null;
  }

  /** The template of an account by its name and language, as the upstream writes them; null when there is none. */
  async findByName(
    organizationId: string,
    key: { readonly businessAccountId: string; readonly name: string; readonly language: string },
  ): Promise<TemplateRow | null> {
    const { businessAccountId, name, language } = key;
    const [row] = await this.database.query(findByNameSql, [organizationId, businessAccountId, name, language]);
    return row ?? null;
  }

  /** At most `limit` templates behind the cursor, newest first. */
  async list(organizationId: string, request: ListTemplatesRequest, limit: number): Promise<TemplateRow[]> {
    const { cursor, businessAccountId, status, language, search, messagingChannelId } = request;
    const filters = [
      businessAccountId,
      status,
      language,
      search === null ? null : foldName(search),
      messagingChannelId,
    ];
    return this.database.query(listSql, [organizationId, cursor ?? FIRST_PAGE, ...filters, limit]);
  }
}

/** A name as searching compares it: in any case, in the composed form of its letters. */
export function foldName(name: string): string {
  return name.toUpperCase().normalize('NFC');
}
