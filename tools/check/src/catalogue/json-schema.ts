/** A value that a schema may name: anything in JSON but lists and objects. */
export type JsonScalar = string | number | boolean | null;

/** The part of JSON Schema, draft 7, that contracts are described with; objects are open unless it says otherwise. */
export interface JsonSchema {
  readonly $schema?: string;
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  /** Sorted, null last. */
  readonly enum?: readonly JsonScalar[];
  readonly pattern?: string;
  readonly format?: string;
  /** In the order of their declaration. */
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  /** The values of fields that are not in `properties`, where the type says so. */
  readonly additionalProperties?: JsonSchema;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  /** Named object types, referred to as `#/definitions/<name>`. */
  readonly definitions?: Readonly<Record<string, JsonSchema>>;
}

/** The dialect of every schema here; what AsyncAPI 3.0 takes without saying so. */
export const SCHEMA_DIALECT = 'http://json-schema.org/draft-07/schema#';

/** Where a schema refers to a named one. */
export const DEFINITIONS = '#/definitions/';

/** The named schema that a reference leads to, or the schema itself. @throws Error when there is no such name */
export function resolved(schema: JsonSchema, root: JsonSchema): JsonSchema {
  if (schema.$ref === undefined) return schema;
  const target = root.definitions?.[schema.$ref.slice(DEFINITIONS.length)];
  if (!target) throw new Error(`${schema.$ref} leads nowhere`);
  return target;
}
