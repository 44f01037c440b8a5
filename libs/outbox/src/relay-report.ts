import type { StreamState } from '@switchboard/nats';

type RecordedStream = Pick<StreamState, 'created' | 'lastSequence'>;

/** What an operator should know of a relay. */
export type RelayReport =
  /** A dependency is away, or publications fail; throttled while it lasts. */
  | { readonly kind: 'failed'; readonly error: unknown }
  /** There is no stream; it is waited for. */
  | { readonly kind: 'stream-missing' }
  /** The broker does not have what it had acknowledged. */
  | {
      readonly kind: 'stream-lost';
      readonly recorded: RecordedStream;
      readonly found: RecordedStream;
      readonly why: string;
    }
  /** The stream holds at least so many events that the database does not: it was restored from a backup. */
  | {
      readonly kind: 'database-restored';
      readonly recorded: RecordedStream;
      readonly found: RecordedStream;
      readonly events: number;
    }
  /** So many published events are pending again. */
  | { readonly kind: 'replayed'; readonly events: number }
  /** An event can never be published. */
  | { readonly kind: 'dead-letter'; readonly eventId: string; readonly subject: string; readonly error: Error }
  /** So many of those are pending again, as an operator wanted. */
  | { readonly kind: 'redriven'; readonly events: number };
