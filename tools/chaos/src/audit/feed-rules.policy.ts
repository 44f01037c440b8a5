import { finding, type Finding } from './finding.js';
import { behindNewer, type PlacedEvent } from './placed-event.js';

/** An event as a reader of `GET /v1/events` got it. */
export interface ReadEvent extends PlacedEvent {
  /** The item, as JSON text. */
  readonly body: string;
}

/** What is known of the feed of every organization. */
export interface FeedLedger {
  /** Ids of the events that the reader must have seen. */
  readonly committed: readonly string[];
  /** The stored body of each event, by its id. */
  readonly bodies: ReadonlyMap<string, string>;
  /** All that the reader got, in its order. */
  readonly read: readonly ReadEvent[];
}

/** Compares events with what a reader got who went on from cursor to cursor: each once, as it is stored, in the order of its conversation. */
export function feedFindings({ committed, bodies, read }: FeedLedger): readonly Finding[] {
  const readOf = Map.groupBy(read, ({ dataId }) => dataId);
  const missing = committed.filter((id) => !readOf.has(id));
  const repeated = [...readOf].filter(([, times]) => times.length > 1);
  const changed = read.filter(({ dataId, body }) => bodies.has(dataId) && bodies.get(dataId) !== body);
  return [
    ...missing.map((id) => finding('feed.lost', `${id} was committed, and the reader of the feed passed it by`)),
    ...repeated.map(([id, times]) => finding('feed.doubled', `${id} came ${times.length} times`)),
    ...changed.map(({ dataId }) => finding('feed.changed', `${dataId} came otherwise than it is stored`)),
    ...behindNewer(read, 'came').map((detail) => finding('feed.order', detail)),
  ];
}
