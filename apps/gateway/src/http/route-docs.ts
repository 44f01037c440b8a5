import type { Json, JsonSchema, PlainName } from '@switchboard/openapi';
import type { AnswerHeader, RequestHeader } from '../description/headers.js';
import type { ViewName } from '../description/views.generated.js';
import type { Shape } from './input/field-description.js';

/** A successful answer of a route, under one status. */
export interface AnswerDocs {
  /** What it means, as a sentence. */
  readonly description: string;
  /** A view, one page of views, or nothing. */
  readonly body: ViewName | PlainName | { readonly pageOf: ViewName } | null;
  /** Answers to the requests that the body's docs show, by the same names; without them the view's example is shown. */
  readonly examples?: Readonly<Record<string, object>>;
  /** Headers in addition to those of every answer. */
  readonly headers?: readonly AnswerHeader[];
}

/** A rule about more than one field of a body. */
export interface FieldsRule<Input> {
  /** The rule as a sentence, for integrators. */
  readonly words: string;
  /** The same rule in JSON Schema. */
  readonly schema: JsonSchema;
  /** A sentence that names the fields and what was expected; null for a body that obeys. */
  problemOf(body: Input): string | null;
}

/** The JSON body that a route takes. */
export interface BodyDocs<Input extends object = object> {
  /** The class of its fields, by which it is validated. */
  readonly shape: Shape<Input>;
  /** Valid requests, by a short name; every field occurs in one of them. */
  readonly examples: Readonly<Record<string, Json>>;
  /** A rule about more than one field. */
  readonly rule?: FieldsRule<Input>;
}

/**
 * What a route takes and answers. The hooks validate query and body by it, and the OpenAPI description shows it.
 *
 * `@switchboard/e2e` compares every part of it with the route: inputs with the validation, answers with those of the tests.
 */
export interface RouteDocs<Tag extends string = string> {
  /** lowerCamelCase, unique and stable: generated clients name their methods after it. */
  readonly operationId: string;
  readonly tag: Tag;
  /** A few words, without a full stop. */
  readonly summary: string;
  /** Markdown: what it does, and what an integrator must know. */
  readonly description: string;
  readonly body?: BodyDocs;
  /** The class of its query parameters, by which they are validated. */
  readonly query?: Shape;
  readonly requestHeaders?: readonly RequestHeader[];
  /** By status. */
  readonly answers: Readonly<Record<number, AnswerDocs>>;
  /** The sentence of a refusal here, by its code, where it is not the example of the registry. */
  readonly sentences?: Readonly<Record<string, string>>;
  /** Headers of a refusal in addition to those of every refusal. */
  readonly refusalHeaders?: readonly AnswerHeader[];
}
