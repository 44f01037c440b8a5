import { Injectable } from '@nestjs/common';
import { Database, statement, type Transaction, unnestColumns } from '@switchboard/postgres';

/** How a template is called. */
export interface TemplateName {
  readonly organizationId: string;
  readonly templateId: string;
  readonly name: string;
  readonly language: string;
}

const keep = statement(
  'analytics.template-name.keep',
  `INSERT INTO template_name AS known (organization_id, template_id, name, language)
   SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) ORDER BY 1, 2
   ON CONFLICT (organization_id, template_id) DO UPDATE SET name = excluded.name, language = excluded.language
   WHERE (known.name, known.language) IS DISTINCT FROM (excluded.name, excluded.language)`,
);

/** Keeps the names of templates when the transaction commits. @param names one of each template */
export function keepTemplateNames(tx: Transaction, names: readonly TemplateName[]): void {
  if (names.length > 0) tx.atCommit(keep, unnestColumns(names, ['organizationId', 'templateId', 'name', 'language']));
}

const ofOrganization = statement<Omit<TemplateName, 'organizationId'>>(
  'analytics.template-name.all',
  'SELECT template_id AS "templateId", name, language FROM template_name WHERE organization_id = $1',
);

/** Reads the names of templates. */
@Injectable()
export class TemplateNameRepository {
  constructor(private readonly database: Database) {}

  /** Those of an organization, by template. */
  async all(organizationId: string): Promise<ReadonlyMap<string, Omit<TemplateName, 'organizationId'>>> {
    const names = await this.database.query(ofOrganization, [organizationId]);
    return new Map(names.map((name) => [name.templateId, name]));
  }
}
