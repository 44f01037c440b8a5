import type { ErrorDefinition } from '@switchboard/contracts/grammar/app-error';
import type { JsonObject, JsonSchema } from './json-schema.js';

/** Source: docs/api-behaviour.md#errors-envelope. */
const errorSchema: JsonSchema = {
  description: 'The body of every failure, whatever produced it.',
  type: 'object',
  properties: {
    error: {
      type: 'object',
      properties: {
        code: {
          type: 'string',
          pattern: '^[A-Z][A-Z_]*$',
          description: 'What went wrong: stable and safe to branch on. New codes may come; treat them by their status.',
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

/** Source: OpenAPI 3.1, "OpenAPI Object"; no more of it than that it is one. */
const openApiDocumentSchema: JsonSchema = {
  description: 'An OpenAPI document.',
  type: 'object',
  properties: { openapi: { type: 'string' }, info: { type: 'object' }, paths: { type: 'object' } },
  required: ['openapi', 'info', 'paths'],
  additionalProperties: true,
};

/** Shapes of answers that every API has and no type of its contracts declares. */
export const plainSchemas = { Error: errorSchema, OpenApiDocument: openApiDocumentSchema } as const;

/** The name of such a shape. */
export type PlainName = keyof typeof plainSchemas;

/** A refusal with a code as it is answered. @param sentence the message; that of the registry by default */
export function errorExample(
  { code, status, message, example = message }: ErrorDefinition,
  sentence = example,
): JsonObject {
  return { summary: `${status} ${code}`, value: { error: { code, message: sentence } } };
}
