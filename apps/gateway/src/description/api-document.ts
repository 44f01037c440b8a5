import type { MountedRoute } from '../http/route-table.js';
import type { ApiFrame } from './api-frame.js';
import { componentsOf, onlyReferred, unroutedResponses, type Views } from './components.js';
import type { JsonObject } from './json-schema.js';
import { Operation } from './operation.js';
import { errorTable, refusalsOf } from './refusals.js';

/**
 * The OpenAPI 3.1 document of an API, from its routes' declarations.
 *
 * @param views what answers refer to; what nobody refers to is left out
 * @param baseUrl the canonical base; empty when there is none
 * @throws Error for a route without docs, or for two operations of one name: bugs
 */
export function describeApi(
  frame: ApiFrame,
  routes: readonly MountedRoute[],
  views: Views,
  baseUrl: string,
): JsonObject {
  const operations = routes.map((route) => new Operation(route, frame));
  const names = operations.map(({ docs }) => docs.operationId);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`two operations have the name ${twice}`);
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const operation of operations) (paths[operation.path] ??= {})[operation.method] = operation.describe();
  const unrouted = refusalsOf(frame.unrouted);
  const errors = new Set(
    [unrouted, ...operations.map(({ refusals }) => refusals)].flatMap((one) => [...one.values()].flat()),
  );
  const all = componentsOf(operations, errors, frame, views);
  const document = {
    openapi: '3.1.0',
    info: { ...frame.info, description: `${frame.introduction}\n\n${errorTable(errors, frame.wordings)}` },
    servers: [serverAt(baseUrl)],
    tags: frame.tags,
    paths,
    ...(frame.webhooks && { webhooks: frame.webhooks }),
    'x-unrouted': unroutedResponses(frame.unrouted, all),
  };
  return { ...document, components: { securitySchemes: frame.securitySchemes, ...onlyReferred(document, all) } };
}

function serverAt(baseUrl: string): JsonObject {
  if (baseUrl === '') return { url: '/', description: 'Where this description was read.' };
  return { url: baseUrl, description: 'The canonical base.' };
}
