import { cuidPattern } from '@switchboard/contracts/grammar/cuid';
import type { BodyDocs, RouteDocs } from '../http/route-docs.js';
import { describedFields, type Shape } from '../http/input/field-description.js';
import type { RequestHeader } from './headers.js';
import type { JsonObject, JsonSchema } from './json-schema.js';

/** What a route takes, as an operation of OpenAPI says it. */
export interface DescribedInput {
  readonly parameters: readonly JsonObject[];
  readonly requestBody?: JsonObject;
}

/** Describes what a route takes, headers that its kind needs among it. Parameters of several routes and bodies are components, which the operation refers to. */
export function inputOf(path: string, docs: RouteDocs, needed: readonly RequestHeader[] = []): DescribedInput {
  const parameters = [
    ...pathParameters(path),
    ...(docs.query ? queryParameters(docs.query) : []),
    ...[...needed, ...(docs.requestHeaders ?? [])].map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ];
  return { parameters, ...(docs.body && { requestBody: requestBody(docs.body) }) };
}

/** The parameters that several routes share, by the name of their component. */
export function sharedParameters(docs: Iterable<RouteDocs>): JsonObject {
  const shared: Record<string, JsonObject> = {};
  for (const { query } of docs) {
    for (const field of query ? describedFields(query) : []) {
      if (field.isInherited) shared[field.name] = queryParameter(field);
    }
  }
  return shared;
}

/** The schema of a body, under the name of its shape. */
export function bodySchema({ shape, rule }: BodyDocs): JsonSchema {
  const fields = describedFields(shape);
  const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
    ...(required.length > 0 && { required }),
    ...rule,
  };
}

function requestBody(body: BodyDocs): JsonObject {
  const examples = Object.entries(body.examples).map(([name, value]): [string, JsonObject] => [name, { value }]);
  return {
    required: true,
    content: {
      'application/json': {
        schema: { $ref: `#/components/schemas/${body.shape.name}` },
        examples: Object.fromEntries(examples),
      },
    },
  };
}

/** Every parameter of a path is an id of what the segment before it names. */
function pathParameters(path: string): JsonObject[] {
  return [...path.matchAll(/([^/]+)\/:(\w+)/g)].map(([, segment = '', name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: `The id of the ${segment.replace(/s$/, '')}.`,
    schema: { type: 'string', format: 'cuid', pattern: cuidPattern },
  }));
}

function queryParameters(shape: Shape): JsonObject[] {
  return describedFields(shape).map((field) =>
    field.isInherited ? { $ref: `#/components/parameters/${field.name}` } : queryParameter(field),
  );
}

function queryParameter({ name, isRequired, schema }: ReturnType<typeof describedFields>[number]): JsonObject {
  const { description, ...form } = schema;
  return { name, in: 'query', ...(isRequired && { required: true }), description, schema: form };
}
