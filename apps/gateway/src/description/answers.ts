import type { AuditEntryView } from '@switchboard/contracts/gateway/http';
import { cuidFloor } from '@switchboard/contracts/grammar/cuid';
import type { ConversationView } from '@switchboard/contracts/messaging/http';
import type { AnswerDocs } from '../http/route-docs.js';
import { viewExamples } from './examples.js';
import { headersOf } from './headers.js';
import type { Json, JsonObject, JsonSchema } from './json-schema.js';
import type { ViewName } from './views.generated.js';

/** Random characters of an id. */
const MARK_LENGTH = 16;

/** The response of an operation for a status that is no refusal. */
export function answerResponse(status: number, answer: AnswerDocs, access: string): JsonObject {
  const { description, body, headers, examples } = answer;
  return {
    description,
    headers: headersOf(status, access, headers),
    ...(body !== null && {
      content: {
        'application/json': {
          schema: { $ref: reference(body) },
          ...(examples ? namedExamples(examples) : exampleOf(body)),
        },
      },
    }),
  };
}

/** The schemas of pages, by name. */
export function pageSchemas(answers: Iterable<AnswerDocs>): Readonly<Record<string, JsonSchema>> {
  const items = [...answers].flatMap(({ body }) => (typeof body === 'object' && body !== null ? [body.pageOf] : []));
  return Object.fromEntries([...new Set(items)].map((name) => [`${name}Page`, pageSchema(name)]));
}

/** Source: docs/api-behaviour.md#pagination. */
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

function namedExamples(examples: Readonly<Record<string, object>>): JsonObject {
  return { examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])) as Json };
}

function exampleOf(body: NonNullable<AnswerDocs['body']>): JsonObject {
  const examples: Readonly<Partial<Record<string, object>>> = viewExamples;
  const example = examples[typeof body === 'string' ? body : body.pageOf];
  if (!example) return {};
  if (typeof body === 'string') return { example: example as Json };
  return { example: { items: [example], nextCursor: cursorBehind(example) } as Json };
}

/** The position of an item in its list. Source: docs/api-behaviour.md#cursors. */
function cursorBehind(item: object): string | undefined {
  const { id, lastMessageAt, sequence } = item as Partial<ConversationView & AuditEntryView>;
  if (sequence !== undefined) return `c${sequence.toString(36).padStart(10, '0')}`;
  return id !== undefined && lastMessageAt ? cuidFloor(new Date(lastMessageAt)) + id.slice(-MARK_LENGTH) : id;
}
