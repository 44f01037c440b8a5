import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import type { JsonSchema } from './json-schema.js';

/** Why a value is not what the schema describes; empty when it is. */
export function schemaRefusals(schema: JsonSchema, value: unknown): readonly string[] {
  const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });
  formats.default(ajv);
  const validate = ajv.compile(schema);
  return validate(value) ? [] : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
}
