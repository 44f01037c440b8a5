import type { ErrorDefinition } from '@switchboard/contracts/grammar/app-error';
import type { JsonObject, JsonSchema } from './json-schema.js';

/** The component that every refusal's body is described by. */
export const errorSchemaName = 'Error';

/** The body of every failure, whatever produced it. Source: specification, "Errors". */
export const errorSchema: JsonSchema = {
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

/** A refusal with a code as it is answered. */
export function errorExample({ code, status, message }: ErrorDefinition): JsonObject {
  return { summary: `${status} ${code}`, value: { error: { code, message } } };
}
