import type { ErrorDefinition } from '@switchboard/contracts/grammar/app-error';
import { pageSchemas } from './answers.js';
import type { ApiDefinition } from './api-definition.js';
import type { Json, JsonObject } from './json-schema.js';
import type { Operation } from './operation.js';
import { bodySchema, sharedParameters } from './parameters.js';
import { plainSchemasOf } from './plain-schemas.js';
import { errorsByStatus, refusalExamples, refusalResponse } from './refusals.js';

/** Components by kind and name. */
export type Components = Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;

/** All components that the document could refer to. */
export function componentsOf(
  api: ApiDefinition,
  operations: readonly Operation[],
  errors: Iterable<ErrorDefinition>,
): Components {
  const routes = operations.map(({ route }) => route);
  const bodies = routes.flatMap(({ body }) => (body ? [[body.name, bodySchema(body)] as const] : []));
  return {
    responses: Object.fromEntries(operations.flatMap((operation) => operation.sharedResponses())),
    parameters: { ...sharedParameters(routes), ...api.parameters },
    headers: api.headers,
    examples: refusalExamples(errors, api.wordings),
    schemas: {
      ...plainSchemasOf(errors),
      ...Object.fromEntries(bodies),
      ...pageSchemas(routes),
      ...api.shapes.schemas,
    },
  };
}

/**
 * The components that the document refers to, directly or through others, in alphabetical order.
 *
 * @throws Error that names a reference to a component that does not exist: a bug
 */
export function referredComponents(document: JsonObject, all: Components): JsonObject {
  const referred = new Set<string>();
  const follow = (part: unknown): void => {
    for (const [, kind = '', name = ''] of JSON.stringify(part).matchAll(/"#\/components\/(\w+)\/([\w.-]+)"/g)) {
      if (referred.has(`${kind}/${name}`)) continue;
      referred.add(`${kind}/${name}`);
      const found = all[kind]?.[name];
      if (found === undefined) throw new Error(`nothing is described as ${kind}/${name}`);
      follow(found);
    }
  };
  follow(document);
  const left = Object.entries(all).map(([kind, entries]): [string, JsonObject] => {
    const names = Object.keys(entries).filter((name) => referred.has(`${kind}/${name}`));
    return [kind, Object.fromEntries(names.sort().map((name) => [name, entries[name]]))];
  });
  return Object.fromEntries(left.filter(([, entries]) => Object.keys(entries).length > 0));
}

/** What is answered where there is no operation. No rule of OpenAPI covers it: references are replaced by what they mean. */
export function unroutedResponses({ unrouted, wordings }: ApiDefinition, all: Components): JsonObject {
  const responses = [...errorsByStatus(unrouted)].map(([status, errors]) => [
    String(status),
    inlined(refusalResponse(status, errors, unrouted, wordings), all),
  ]);
  return Object.fromEntries(responses) as JsonObject;
}

function inlined(part: Json | undefined, all: Components): Json | undefined {
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
  const [, kind = '', name = ''] =
    /^#\/components\/(headers|examples)\/(.+)$/.exec(String((part as JsonObject)['$ref'])) ?? [];
  if (kind !== '') return all[kind]?.[name];
  return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, inlined(value, all)]));
}
