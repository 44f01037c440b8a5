import type { ErrorDefinition } from '@switchboard/contracts/grammar/app-error';
import type { JsonObject, JsonSchema } from './json-schema.js';

/** Source: docs/api-behaviour.md#errors-envelope. @param codes of the API, in their order */
function errorSchema(codes: readonly string[]): JsonSchema {
  return {
    description: 'The body of every failure, whatever produced it.',
    type: 'object',
    properties: {
      error: {
        description: 'What went wrong.',
        type: 'object',
        properties: {
          code: {
            type: 'string',
            enum: codes,
            description:
              'What went wrong: stable and safe to branch on. New codes may come; treat them by their status.',
          },
          message: {
            type: 'string',
            description: 'What went wrong, for people; it names the field. It may change: never branch on it.',
          },
        },
        required: ['code', 'message'],
      },
    },
    required: ['error'],
  };
}

/** Source: OpenAPI 3.1, "OpenAPI Object"; no more of it than that it is one. */
const openApiDocumentSchema: JsonSchema = {
  description: 'An OpenAPI document.',
  type: 'object',
  properties: {
    openapi: { type: 'string', description: 'The version of OpenAPI.' },
    info: { type: 'object', description: 'What the document describes.' },
    paths: { type: 'object', description: 'The operations by path and method.' },
  },
  required: ['openapi', 'info', 'paths'],
  additionalProperties: true,
};

/** Source: WHATWG HTML, "Server-sent events". */
const eventStreamSchema: JsonSchema = { description: 'Server-sent events, without an end.', type: 'string' };

/** The name of a shape of answers that every API has and no type of its contracts declares. */
export type PlainName = 'Error' | 'OpenApiDocument' | 'EventStream';

/** The media type of a shape that is no JSON. */
export const mediaTypes: Readonly<Record<string, string>> = { EventStream: 'text/event-stream' };

/** Such shapes by name. @param errors every one that the API answers with */
export function plainSchemasOf(errors: Iterable<ErrorDefinition>): Readonly<Record<PlainName, JsonSchema>> {
  const codes = [...errors].map(({ code }) => code).sort();
  return { Error: errorSchema(codes), OpenApiDocument: openApiDocumentSchema, EventStream: eventStreamSchema };
}

/** A refusal with a code as it is answered. @param sentence the message; that of the registry by default */
export function errorExample(
  { code, status, message, example = message }: ErrorDefinition,
  sentence = example,
): JsonObject {
  return { summary: `${status} ${code}`, value: { error: { code, message: sentence } } };
}
