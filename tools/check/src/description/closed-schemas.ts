/** A value that JSON carries. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

/** An object as JSON carries it. */
export interface JsonObject {
  readonly [name: string]: Json | undefined;
}

/**
 * The components of an OpenAPI document as definitions that refer to each other, every object closed.
 *
 * The description leaves objects open, so that clients take fields that come later. Tests hold what is answered today to
 * what is described today.
 */
export function closedSchemas(schemas: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, closed(schema)]));
}

function closed(part: Json | undefined): Json | undefined {
  if (typeof part !== 'object' || part === null) return part;
  if (isList(part)) return part.map((item) => closed(item) ?? null);
  const reference = part['$ref'];
  if (typeof reference === 'string') return { $ref: reference.replace('#/components/schemas/', '#/$defs/') };
  const entries = Object.entries(part).map(([keyword, value]): [string, Json | undefined] => [keyword, closed(value)]);
  const isOpen = part['type'] === 'object' && 'properties' in part && !('additionalProperties' in part);
  return { ...Object.fromEntries(entries), ...(isOpen && { additionalProperties: false }) };
}

function isList(part: Json): part is readonly Json[] {
  return Array.isArray(part);
}
