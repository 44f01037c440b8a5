import type { ApiDefinition, ApiInfo } from './api-definition.js';
import type { ApiRoute } from './api-route.js';
import { componentsOf, referredComponents, unroutedResponses } from './components.js';
import { withEnumWords } from './enum-words.js';
import type { JsonObject } from './json-schema.js';
import { Operation } from './operation.js';
import { errorsByStatus, errorTable, meaningsOf } from './refusals.js';

/**
 * Builds the OpenAPI 3.1 document of an API from its routes.
 *
 * @param baseUrl the canonical base; empty: the host that the document was read from
 * @throws Error for two operations of one name, and for a reference to a component that does not exist: bugs
 */
export function buildOpenApiDocument(api: ApiDefinition, routes: readonly ApiRoute[], baseUrl: string): JsonObject {
  const operations = routes.map((route) => new Operation(route, api));
  requireUniqueNames(routes);
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const operation of operations) (paths[operation.path] ??= {})[operation.method] = operation.describe();
  const all = [errorsByStatus(api.unrouted), ...operations.map(({ errors }) => errors)];
  const errors = new Set(all.flatMap((byStatus) => [...byStatus.values()].flat()));
  const components = componentsOf(api, operations, errors);
  const document = {
    openapi: '3.1.0',
    info: { ...infoAt(api.info, baseUrl), description: `${api.introduction}\n\n${errorTable(errors, api.wordings)}` },
    servers: [serverAt(baseUrl)],
    tags: api.tags,
    paths,
    ...(api.webhooks && { webhooks: api.webhooks }),
    'x-unrouted': unroutedResponses(api, components),
  };
  const referred = referredComponents(document, components);
  const whole = { ...document, components: { securitySchemes: api.securitySchemes, ...referred } };
  return withEnumWords(whole, [...api.vocabularies, meaningsOf(errors, api.wordings)]);
}

function requireUniqueNames(routes: readonly ApiRoute[]): void {
  const names = routes.map(({ operationId }) => operationId);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw new Error(`two operations have the name ${repeated}`);
}

/** A contact's address is absolute; without a base there is none that is right. */
function infoAt({ contact, ...info }: ApiInfo, baseUrl: string): JsonObject {
  if (!contact) return info;
  const { name, path } = contact;
  return { ...info, contact: baseUrl === '' ? { name } : { name, url: baseUrl + path } };
}

function serverAt(baseUrl: string): JsonObject {
  if (baseUrl === '') return { url: '/', description: 'Where this description was read.' };
  return { url: baseUrl, description: 'The canonical base.' };
}
