import type { ErrorDefinition } from '@switchboard/contracts/grammar/app-error';
import type { Json, JsonObject, JsonSchema } from './json-schema.js';

/** Headers of an answer: the name of the header component, by the name on the wire. */
export type HeaderReferences = Readonly<Record<string, string>>;

/** A field of a body or a query. */
export interface DescribedField {
  readonly name: string;
  readonly isRequired: boolean;
  /** With its description. */
  readonly schema: JsonSchema;
  /** Whether several routes have the same field: its parameter becomes a component. */
  readonly isShared: boolean;
}

/** The fields of a body or a query. */
export interface DescribedShape {
  /** Of a body: the name of its schema component. */
  readonly name: string;
  readonly fields: readonly DescribedField[];
}

/** The JSON body that a route takes. */
export interface DescribedBody extends DescribedShape {
  /** Requests that are accepted, by a short name. */
  readonly examples: Readonly<Record<string, Json>>;
  /** A relation between the fields, in words. */
  readonly rule?: string;
}

/** A response that is no refusal. */
export interface DescribedAnswer {
  readonly description: string;
  /** The public name of a shape, a page of shapes, or null for no body. */
  readonly body: string | { readonly pageOf: string } | null;
  /** By the names of the body's examples; absent: the example of the shape. */
  readonly examples?: Readonly<Record<string, object>>;
  readonly headers: HeaderReferences;
}

/** How a route can refuse. */
export interface Refusals {
  /** Every code, those of all routes of its kind included; a code that occurs twice counts once. */
  readonly errors: readonly ErrorDefinition[];
  /** The message of the route itself, by code, where it differs from the example of the code. */
  readonly sentences: Readonly<Record<string, string>>;
  /** The headers of a refusal with this status. */
  headersOf(status: number): HeaderReferences;
}

/** One operation of an API. */
export interface ApiRoute {
  readonly method: string;
  /** Its parameters begin with a colon. */
  readonly path: string;
  /** lowerCamelCase, unique in its API and stable: generated clients name their methods after it. */
  readonly operationId: string;
  readonly tag: string;
  /** A few words, without a full stop. */
  readonly summary: string;
  /** Markdown. */
  readonly description: string;
  /** Alternatives; empty: open to everybody. */
  readonly security: readonly JsonObject[];
  /** Names of parameter components. */
  readonly requestHeaders: readonly string[];
  readonly query?: DescribedShape;
  readonly body?: DescribedBody;
  /** By status. */
  readonly answers: Readonly<Record<number, DescribedAnswer>>;
  readonly refusals: Refusals;
  /**
   * Whether a refusal with a single code and no sentence of the route's own is a component that routes share: its headers
   * must be the same for all of them.
   */
  readonly sharesRefusals: boolean;
}
