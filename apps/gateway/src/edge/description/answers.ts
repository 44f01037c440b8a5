import type { AnswerDocs } from '../http/route-docs.js';
import { viewExamples } from './examples.js';
import { headersOf } from './headers.js';
import type { Json, JsonObject, JsonSchema } from './json-schema.js';
import type { ViewName } from './views.generated.js';

const CURSOR = 'cml62s3txa1s9d3f7g2h6j0k4';

/** The response of an operation for a status that is no refusal. */
export function answerResponse(status: number, answer: AnswerDocs, access: string): JsonObject {
  const { description, body, headers } = answer;
  return {
    description,
    headers: headersOf(status, access, headers),
    ...(body !== null && {
      content: { 'application/json': { schema: { $ref: reference(body) }, ...exampleOf(body) } },
    }),
  };
}

/** The schemas of pages, by name. */
export function pageSchemas(answers: Iterable<AnswerDocs>): Readonly<Record<string, JsonSchema>> {
  const items = [...answers].flatMap(({ body }) => (typeof body === 'object' && body !== null ? [body.pageOf] : []));
  return Object.fromEntries([...new Set(items)].map((name) => [`${name}Page`, pageSchema(name)]));
}

/** Source: specification, "Pagination". */
function pageSchema(item: ViewName): JsonSchema {
  return {
    description: 'One page of a list.',
    type: 'object',
    properties: {
      items: { type: 'array', items: { $ref: `#/components/schemas/${item}` } },
      nextCursor: {
        type: 'string',
        pattern: '^c[0-9a-z]{6,31}$',
        description: 'Present only when there is more: passed as `cursor`, it answers the next page.',
      },
    },
    required: ['items'],
  };
}

function reference(body: NonNullable<AnswerDocs['body']>): string {
  return `#/components/schemas/${typeof body === 'string' ? body : `${body.pageOf}Page`}`;
}

function exampleOf(body: NonNullable<AnswerDocs['body']>): JsonObject {
  const examples: Readonly<Partial<Record<string, object>>> = viewExamples;
  const example = examples[typeof body === 'string' ? body : body.pageOf];
  if (!example) return {};
  return { example: (typeof body === 'string' ? example : { items: [example], nextCursor: CURSOR }) as Json };
}
