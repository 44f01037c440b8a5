import type { StoredEvent } from '@switchboard/nats';

/** A row of the outbox that is to be published. */
export interface OutboxRow extends StoredEvent {
  readonly position: string;
  readonly aggregateId: string;
}

/**
 * Splits rows into waves: each wave has at most one event of an aggregate, in the order of the rows.
 *
 * All of a wave may be in flight at once, and the next starts when the former is stored: so a lost publication never
 * lets a later event of the same aggregate overtake it.
 */
export function publishingWaves(rows: readonly OutboxRow[]): OutboxRow[][] {
  const waves: OutboxRow[][] = [];
  const seen = new Map<string, number>();
  for (const row of rows) {
    const wave = seen.get(row.aggregateId) ?? 0;
    seen.set(row.aggregateId, wave + 1);
    (waves[wave] ??= []).push(row);
  }
  return waves;
}
