import type { RouteDocs } from '../http/route-docs.js';
import { ListTemplatesQuery } from './list-templates.query.js';

/** `GET …/templates`, under /v1 and /app/api. */
export const listTemplatesDocs: RouteDocs<'Templates'> = {
  operationId: 'listTemplates',
  tag: 'Templates',
  summary: 'List templates',
  description:
    'Newest first. Filters are combined with AND. Templates are made and approved at the upstream provider. They are copied from ' +
    'there when a channel is connected, on schedule, and when the provider reports a change.',
  query: ListTemplatesQuery,
  answers: { 200: { description: 'A page of templates.', body: { pageOf: 'Template' } } },
};

/** `GET …/templates/{id}`, under /v1 and /app/api. */
export const getTemplateDocs: RouteDocs<'Templates'> = {
  operationId: 'getTemplate',
  tag: 'Templates',
  summary: 'Read a template',
  description: 'The template with the variables that a send must give values for.',
  answers: { 200: { description: 'The template.', body: 'Template' } },
};
