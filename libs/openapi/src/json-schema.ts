/** A value that JSON carries. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

/** An object as JSON carries it; what is undefined is left out. */
export interface JsonObject {
  readonly [name: string]: Json | undefined;
}

/** A schema of JSON Schema 2020-12, the dialect of OpenAPI 3.1. */
export type JsonSchema = JsonObject;
