import type { Cuid } from './cuid.js';
import type { IsoTime } from './iso-time.js';
declare const types: unique symbol;

/** A fact that a service emits: `<owner>.<aggregate>.<past tense>` in version `v<n>`. */
export interface EventDefinition<Data = unknown> {
  /** Subject in JetStream: `<owner>.<aggregate>.<name>.v<n>`. */
  readonly subject: string;
  readonly owner: string;
  readonly [types]?: Data;
}

/** What an event's definition says of its data. */
export type EventDataOf<Definition> = Definition extends EventDefinition<infer Data> ? Data : never;

/**
 * Declares an event. Within a version it only grows by optional fields; `v<n+1>` is emitted together with `v<n>` for a
 * release; consumers tolerate unknown fields.
 *
 * The catalogue (`docs/events.md`) is read from the declaration: its docstring says when the event is emitted, and in a tag
 * `aggregate` whose id is the envelope's `aggregateId`, followed by `, counted` where `sequence` is a number.
 */
export function defineEvent<Data>(owner: string, name: string, version: number): EventDefinition<Data> {
  return Object.freeze({ subject: `${owner}.${name}.v${version}`, owner });
}

/** What every consumer gets, whatever happened. */
export interface EventEnvelope<Data = unknown> {
  /** cuid; unique to the fact and the same in every redelivery: the key of every inbox. */
  readonly id: Cuid;
  readonly subject: string;
  /** Null only for callbacks that are not attributed to an organization yet. */
  readonly organizationId: Cuid | null;
  /** Events of one aggregate are published in the order of their commits. */
  readonly aggregateId: string;
  /** Grows by one within the aggregate, where it is counted; null elsewhere. */
  readonly sequence: number | null;
  /** ISO 8601 in UTC, milliseconds: when it happened, not when it was published. */
  readonly occurredAt: IsoTime;
  readonly data: Data;
}
