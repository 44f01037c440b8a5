import type { Json, JsonSchema, PlainName } from '@switchboard/openapi';
import type { AnswerHeader, RequestHeader } from '../description/headers.js';
import type { ViewName } from '../description/views.generated.js';
import type { Shape } from './input/field-description.js';

/** What a route answers when all is well, under one status. */
export interface AnswerDocs {
  /** When it is answered, as a sentence. */
  readonly description: string;
  /** A view, one page of views, or nothing. */
  readonly body: ViewName | PlainName | { readonly pageOf: ViewName } | null;
  /** Answers to the requests that the body's docs show, by the same names; without them the view's example is shown. */
  readonly examples?: Readonly<Record<string, object>>;
  /** Headers beside those of every answer. */
  readonly headers?: readonly AnswerHeader[];
}

/** The JSON body that a route takes. */
export interface BodyDocs {
  /** What `input` reads it by. */
  readonly shape: Shape;
  /** Requests that are taken as they stand, by a short name; every field occurs in one of them. */
  readonly examples: Readonly<Record<string, Json>>;
  /** What the fields must be to each other, in JSON Schema; the shape knows each field alone. */
  readonly rule?: JsonSchema;
}

/**
 * What the OpenAPI description says of a route beside what its declaration enforces.
 *
 * `@switchboard/e2e` holds every part of it to what the route does: inputs to `input`, answers to those of the tests.
 */
export interface RouteDocs<Tag extends string = string> {
  /** lowerCamelCase, unique and stable: generated clients name their methods after it. */
  readonly operationId: string;
  readonly tag: Tag;
  /** A few words, without a full stop. */
  readonly summary: string;
  /** Markdown: what it does, and what an integrator must know of it. */
  readonly description: string;
  readonly body?: BodyDocs;
  /** What `input` reads the query by. */
  readonly query?: Shape;
  readonly requestHeaders?: readonly RequestHeader[];
  /** By status. */
  readonly answers: Readonly<Record<number, AnswerDocs>>;
  /** What a refusal says here, by its code, where that is not the example of the registry. */
  readonly sentences?: Readonly<Record<string, string>>;
  /** Headers that a refusal may carry beside those of every refusal. */
  readonly refusalHeaders?: readonly AnswerHeader[];
}
