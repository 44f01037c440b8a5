import type { RetryVerdict } from '@switchboard/contracts/grammar/app-error';
import type { DescribedField, Refusals } from './api-route.js';
import type { Vocabulary } from './enum-words.js';
import type { JsonObject, JsonSchema } from './json-schema.js';

/** What one API says of a code that the registry has for all of them. */
export interface Wording {
  /** The registry's message by default. */
  readonly meaning?: string;
  /** A message that is answered; the registry's by default. */
  readonly example?: string;
  /** The registry's by default. */
  readonly retry?: RetryVerdict;
  /** Whether to try again, in a sentence; that of `retry` by default. */
  readonly again?: string;
}

/** By code; a code without an entry means what the registry says. */
export type Wordings = Readonly<Record<string, Wording>>;

/** Schemas of answers by their public names, with one example of each where there is one. */
export interface DescribedShapes {
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  /** A text where the shape is no JSON. */
  readonly examples: Readonly<Partial<Record<string, object | string>>>;
  /** The `nextCursor` of a page that ends with this example; undefined for none. */
  pageCursorOf(example: object): string | undefined;
}

/** What an API is called, and where its callers ask. */
export interface ApiInfo extends JsonObject {
  /** A page of the host itself. */
  readonly contact?: { readonly name: string; readonly path: string };
}

/** An API: all that its document says once, and what its routes refer to by name. */
export interface ApiDefinition {
  readonly info: ApiInfo;
  /** Markdown; the table of all error codes follows it. */
  readonly introduction: string;
  readonly tags: readonly JsonObject[];
  readonly securitySchemes: JsonObject;
  /** By event; absent where the API has no webhooks. */
  readonly webhooks?: JsonObject;
  /** Parameter components: request headers of routes, and parameters of webhooks. */
  readonly parameters: Readonly<Record<string, JsonObject>>;
  /** Header components of answers. */
  readonly headers: Readonly<Record<string, JsonObject>>;
  readonly shapes: DescribedShapes;
  readonly wordings: Wordings;
  /** What the words of enumerations mean. */
  readonly vocabularies: readonly Vocabulary[];
  /** Describes a parameter of a path. @param segment the one before it */
  pathParameter(segment: string, name: string): Omit<DescribedField, 'isRequired' | 'isShared'>;
  /** What is answered where there is no operation. */
  readonly unrouted: Refusals;
}
