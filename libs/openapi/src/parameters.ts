import type { ApiDefinition } from './api-definition.js';
import type { ApiRoute, DescribedBody, DescribedField } from './api-route.js';
import type { JsonObject, JsonSchema } from './json-schema.js';

/** The parameters of an operation: path, query, headers; those that several routes share are references. */
export function parametersOf(route: ApiRoute, api: Pick<ApiDefinition, 'pathParameter'>): readonly JsonObject[] {
  const fields = route.query?.fields ?? [];
  return [
    ...pathParameters(route.path, api),
    ...fields.map((field) => (field.isShared ? reference(field.name) : queryParameter(field))),
    ...route.requestHeaders.map(reference),
  ];
}

/** The parameters that several routes share, by the names of their components. */
export function sharedParameters(routes: readonly ApiRoute[]): Readonly<Record<string, JsonObject>> {
  const fields = routes.flatMap(({ query }) => query?.fields ?? []);
  const shared = fields.filter(({ isShared }) => isShared);
  return Object.fromEntries(shared.map((field) => [field.name, queryParameter(field)]));
}

/** The request body of an operation; its schema is a component. */
export function requestBodyOf({ name, examples }: DescribedBody): JsonObject {
  return {
    required: true,
    content: {
      'application/json': {
        schema: { $ref: `#/components/schemas/${name}` },
        examples: Object.fromEntries(Object.entries(examples).map(([example, value]) => [example, { value }])),
      },
    },
  };
}

/**
 * The schema component of a body: a flat object, since generators of clients make types without fields, or none at all, of
 * alternatives next to properties. A relation between fields is said in words.
 */
export function bodySchema({ fields, rule }: DescribedBody): JsonSchema {
  const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return {
    ...(rule !== undefined && { description: rule }),
    type: 'object',
    properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
    ...(required.length > 0 && { required }),
  };
}

function pathParameters(path: string, api: Pick<ApiDefinition, 'pathParameter'>): JsonObject[] {
  return [...path.matchAll(/([^/]+)\/:(\w+)/g)].map(([, segment = '', name = '']) =>
    parameter('path', { ...api.pathParameter(segment, name), isRequired: true }),
  );
}

function queryParameter(field: DescribedField): JsonObject {
  return parameter('query', field);
}

function parameter(
  place: 'path' | 'query',
  { name, isRequired, schema }: Omit<DescribedField, 'isShared'>,
): JsonObject {
  const { description, ...form } = schema;
  return { name, in: place, ...(isRequired && { required: true }), description, schema: form };
}

function reference(name: string): JsonObject {
  return { $ref: `#/components/parameters/${name}` };
}
