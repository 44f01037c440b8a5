import type { DescribedShapes } from './api-definition.js';
import type { ApiRoute, DescribedAnswer, HeaderReferences } from './api-route.js';
import type { Json, JsonObject, JsonSchema } from './json-schema.js';
import { mediaTypes } from './plain-schemas.js';

type Body = NonNullable<DescribedAnswer['body']>;

/** The response of an operation that is no refusal. */
export function answerResponse(answer: DescribedAnswer, shapes: DescribedShapes): JsonObject {
  const { description, body, headers, examples } = answer;
  return {
    description,
    headers: headerReferences(headers),
    ...(body !== null && {
      content: {
        [mediaTypes[nameOf(body)] ?? 'application/json']: {
          schema: { $ref: `#/components/schemas/${nameOf(body)}` },
          ...(examples ? namedExamples(examples) : exampleOf(body, shapes)),
        },
      },
    }),
  };
}

/** The headers of a response: references to their components. */
export function headerReferences(headers: HeaderReferences): JsonObject {
  const referred = Object.entries(headers).map(([name, component]) => [
    name,
    { $ref: `#/components/headers/${component}` },
  ]);
  return Object.fromEntries(referred) as JsonObject;
}

/** The schemas of all pages that routes answer, by name. */
export function pageSchemas(routes: readonly ApiRoute[]): Readonly<Record<string, JsonSchema>> {
  const bodies = routes.flatMap(({ answers }) => Object.values(answers).map(({ body }) => body));
  const pages = bodies.filter((body) => typeof body === 'object' && body !== null);
  return Object.fromEntries(pages.map((page) => [nameOf(page), pageSchema(page.pageOf)]));
}

/** Source: docs/api-behaviour.md#pagination. */
function pageSchema(item: string): JsonSchema {
  return {
    description: 'One page of a list.',
    type: 'object',
    properties: {
      items: { description: 'The items of the page.', type: 'array', items: { $ref: `#/components/schemas/${item}` } },
      nextCursor: {
        type: 'string',
        pattern: '^c[0-9a-z]{6,31}$',
        description: 'Present only when there is more: passed as `cursor`, it answers the next page.',
      },
    },
    required: ['items'],
  };
}

function nameOf(body: Body): string {
  return typeof body === 'string' ? body : `${body.pageOf}Page`;
}

function namedExamples(examples: Readonly<Record<string, object>>): JsonObject {
  return { examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])) as Json };
}

function exampleOf(body: Body, { examples, pageCursorOf }: DescribedShapes): JsonObject {
  const example = examples[typeof body === 'string' ? body : body.pageOf];
  if (!example) return {};
  if (typeof body === 'string' || typeof example === 'string') return { example: example as Json };
  return { example: { items: [example], nextCursor: pageCursorOf(example) } as Json };
}
