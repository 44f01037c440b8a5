import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { JsonObject } from './closed-schemas.js';

/** A validator of JSON Schema 2020-12 that knows the formats of our descriptions. */
export function schemaValidator(): Ajv2020 {
  const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, strictRequired: false, strictTypes: false });
  formats.default(ajv);
  // Its pattern is given in addition.
  ajv.addFormat('cuid', true);
  // Meanings of words: for other readers.
  ajv.addVocabulary(['x-enumDescriptions']);
  return ajv;
}

/** Whether a value is what a schema describes; the schema refers to nothing. */
export type IsDescribed = (schema: JsonObject, value: unknown) => boolean;

/** Compiles each schema once. */
export function describedValues(): IsDescribed {
  const ajv = schemaValidator();
  return (schema, value) => ajv.validate(schema, value);
}
