import { Injectable } from '@nestjs/common';
import type { ContactView } from '@switchboard/contracts/contacts/http';
import { Database, statement } from '@switchboard/postgres';
import { VIEW_COLUMNS, viewOf, type ContactViewRow } from '../contact/contact-view.repository.js';
import type { SearchTerm } from './search.policy.js';

/** A range of an organization's contacts, newest first. */
export interface KeysetRange {
  readonly organizationId: string;
  /** Ids below this one; null for the first page. */
  readonly cursor: string | null;
  /** Those of these coverages alone; null for all. */
  readonly coverages: readonly number[] | null;
}

/**
 * Contacts below the cursor `$2`, at most `$3`, newest first: by the primary key; with coverages, so many of each by
 * `contact_coverage`, merged, which the server takes for statements that state its condition alone. Page 1,000 costs as page 1.
 */
function keysetRangeSql(coverages?: string): string {
  const newest = `i.organization_id = $1 AND i.id < $2 ORDER BY i.id DESC LIMIT $3`;
  if (!coverages) return `SELECT i.* FROM contact i WHERE ${newest}`;
  return `SELECT m.* FROM unnest(${coverages}::int[]) AS v(coverage)
    CROSS JOIN LATERAL (SELECT * FROM contact i WHERE i.coverage = v.coverage AND i.coverage >= -1 AND ${newest}) m
    ORDER BY m.id DESC LIMIT $3`;
}

const listSql = (coverages?: string): string =>
  `SELECT ${VIEW_COLUMNS} FROM (${keysetRangeSql(coverages)}) c ORDER BY c.id DESC`;
/** Stops as soon as it has found `$5`. */
const walkSql = (coverages?: string): string =>
  `SELECT ${VIEW_COLUMNS} FROM (${keysetRangeSql(coverages)}) c WHERE strpos(c.search_text, $4) > 0
   ORDER BY c.id DESC LIMIT $5`;
/** All from the id `$3` on. */
const spanSql = (coverages?: string): string => {
  const span = `i.organization_id = $1 AND i.id < $2 AND i.id >= $3 AND strpos(i.search_text, $4) > 0
    ORDER BY i.id DESC LIMIT $5`;
  const found = !coverages
    ? `SELECT i.* FROM contact i WHERE ${span}`
    : `SELECT m.* FROM unnest(${coverages}::int[]) AS v(coverage)
       CROSS JOIN LATERAL (SELECT * FROM contact i WHERE i.coverage = v.coverage AND i.coverage >= -1 AND ${span}) m`;
  return `SELECT ${VIEW_COLUMNS} FROM (${found}) c ORDER BY c.id DESC LIMIT $5`;
};
const endSql = (coverages?: string): string =>
  `SELECT count(*)::int AS rows, min(c.id) AS id FROM (${keysetRangeSql(coverages)}) c`;

const list = statement<ContactViewRow>('contacts.list', listSql());
const listCovered = statement<ContactViewRow>('contacts.list-covered', listSql('$4'));
const walk = statement<ContactViewRow>('contacts.list.walk', walkSql());
const walkCovered = statement<ContactViewRow>('contacts.list.walk-covered', walkSql('$6'));
const span = statement<ContactViewRow>('contacts.list.span', spanSql());
const spanCovered = statement<ContactViewRow>('contacts.list.span-covered', spanSql('$6'));
const end = statement<KeysetRangeEnd>('contacts.list.end', endSql());
const endCovered = statement<KeysetRangeEnd>('contacts.list.end-covered', endSql('$4'));
/** By the index of grams; see `search_contacts` in the migrations. */
const search = statement<ContactViewRow>(
  'contacts.list.search',
  `SELECT ${VIEW_COLUMNS} FROM search_contacts($1, $2, $3, $4::text[], $6::int[], $5) AS found(id)
   JOIN contact c ON c.organization_id = $1 AND c.id = found.id ORDER BY c.id DESC`,
);
/**
 * A phone has one contact, as a rule: by the aliases, then each of them by its id. OFFSET 0 keeps the second look one of its own; as
 * a join, all of the organization's contacts were read in the order of the list, and compared.
 */
const ofPhone = statement<ContactViewRow>(
  'contacts.list.of-phone',
  `SELECT ${VIEW_COLUMNS} FROM (SELECT DISTINCT a.contact_id FROM contact_alias a
     WHERE a.organization_id = $1 AND a.alias = ANY ($4::text[])) found
   CROSS JOIN LATERAL (SELECT * FROM contact i
     WHERE i.organization_id = $1 AND i.id = found.contact_id AND i.id < $2
       AND ($5::text IS NULL OR strpos(i.search_text, $5) > 0)
       AND ($6::int[] IS NULL OR i.coverage = ANY ($6::int[])) OFFSET 0) c
   ORDER BY c.id DESC LIMIT $3`,
);
/** Sorts after every id. */
const FIRST_PAGE = 'd';

/** Where a range ends. */
export interface KeysetRangeEnd {
  readonly rows: number;
  /** The last id; null of an empty range. */
  readonly id: string | null;
}

/** Reads of lists of contacts. */
@Injectable()
export class ContactListRepository {
  constructor(private readonly database: Database) {}

  /** So many contacts of the range. */
  async list(range: KeysetRange, limit: number): Promise<ContactView[]> {
    const values = [...positionOf(range), limit];
    return range.coverages ? this.views(listCovered, [...values, range.coverages]) : this.views(list, values);
  }

  /** Those of the range's next `rows` contacts that match, at most `limit`. */
  async walk(range: KeysetRange, rows: number, term: SearchTerm, limit: number): Promise<ContactView[]> {
    const values = [...positionOf(range), rows, term.text, limit];
    return range.coverages ? this.views(walkCovered, [...values, range.coverages]) : this.views(walk, values);
  }

  /** Those of the range from the id `first` on that match, at most `limit`. */
  async span(range: KeysetRange, first: string, term: SearchTerm, limit: number): Promise<ContactView[]> {
    const values = [...positionOf(range), first, term.text, limit];
    return range.coverages ? this.views(spanCovered, [...values, range.coverages]) : this.views(span, values);
  }

  /** Where the range's next `rows` contacts end. */
  async end(range: KeysetRange, rows: number): Promise<KeysetRangeEnd> {
    const values = [...positionOf(range), rows];
    const [found] = range.coverages
      ? await this.database.query(endCovered, [...values, range.coverages])
      : await this.database.query(end, values);
    return found ?? { rows: 0, id: null };
  }

  /** Those of the whole range that match, at most `limit`, by the index. */
  async search(range: KeysetRange, term: SearchTerm, limit: number): Promise<ContactView[]> {
    const [organizationId, cursor] = positionOf(range);
    return this.views(search, [organizationId, cursor, term.text, term.grams, limit, range.coverages]);
  }

  /** Those of the range that have one of the aliases. */
  async ofPhone(
    range: KeysetRange,
    aliases: readonly string[],
    term: SearchTerm | null,
    limit: number,
  ): Promise<ContactView[]> {
    const values = [...positionOf(range), limit, aliases, term?.text ?? null, range.coverages];
    return this.views(ofPhone, values);
  }

  private async views(statementOfRows: typeof list, values: readonly unknown[]): Promise<ContactView[]> {
    return (await this.database.query(statementOfRows, values)).map(viewOf);
  }
}

function positionOf({ organizationId, cursor }: KeysetRange): [string, string] {
  return [organizationId, cursor ?? FIRST_PAGE];
}
