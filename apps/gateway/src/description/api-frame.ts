import type { JsonObject } from './json-schema.js';
import type { Refusing, Wordings } from './refusals.js';

/** One of the gateway's APIs: what is said once, beside its routes. */
export interface ApiFrame {
  readonly info: JsonObject;
  /** Markdown, for before the first request; a table of all error codes is put below. */
  readonly introduction: string;
  readonly tags: readonly JsonObject[];
  readonly securitySchemes: JsonObject;
  /** What an operation that needs somebody demands; the scope is told where there is one. */
  securityOf(scope: string | null): readonly JsonObject[];
  /** By event; none where the API has no webhooks. */
  readonly webhooks?: JsonObject;
  /** Parameters that its webhooks refer to. */
  readonly parameters?: JsonObject;
  readonly wordings: Wordings;
  /** How what is no route is asked for: its access is that of unknown paths. */
  readonly unrouted: Refusing;
}
