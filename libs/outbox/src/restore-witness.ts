import type { StreamState } from '@switchboard/nats';
import type { Queryable } from '@switchboard/postgres';
import type { EventBroker } from './publishing.js';
import { RelayLedger, type RelayState } from './relay-ledger.js';
import { relayMetrics, type RelayMetrics } from './relay-metrics.js';
import type { RelayReport } from './relay-report.js';

/** What a look at the stream works with. */
export interface RestoreWitnessParts {
  readonly ledger: RelayLedger;
  readonly metrics: Pick<RelayMetrics, 'databaseRestored'>;
  readonly report: (report: RelayReport) => void;
}

/**
 * A stream that holds more than was ever committed here says that the database was restored from a backup, whatever its
 * incarnation says: that one is blind to what was lost since its last renewal.
 *
 * Who finds it reports it once, and disowns the incarnation with the same statement: no keeper calls the database compared
 * before it has taken back what is due.
 *
 * @param state the record of the stream, read after the stream was asked
 * @returns whether this look has found it
 */
export async function noticeRestore(
  { ledger, metrics, report }: RestoreWitnessParts,
  state: RelayState,
  found: StreamState,
): Promise<boolean> {
  if (isAnother(state, found) || found.lastSequence <= state.lastSequence) return false;
  const events = await ledger.forgotten(state, found);
  if (events === 0 || !(await ledger.disown(state, found))) return false;
  report({ kind: 'database-restored', recorded: state, found, events });
  metrics.databaseRestored();
  return true;
}

/** The same look for the keeper of the incarnation, which has no relay: see `IncarnationKeeperOptions`. */
export function restoreWitness(parts: {
  readonly database: Queryable;
  /** Its own: what asks for the state of a stream vouches for the connection to it. */
  readonly broker: Pick<EventBroker, 'stream' | 'streamState'>;
  readonly report: (report: RelayReport) => void;
}): () => Promise<boolean> {
  const { database, broker, report } = parts;
  const ledger = new RelayLedger(database, broker.stream);
  const metrics = relayMetrics();
  return async () => {
    const found = await broker.streamState();
    return found !== null && noticeRestore({ ledger, metrics, report }, await ledger.state(found), found);
  };
}

/** Made at another time, and holding nothing from before that. */
export function isAnother(state: RelayState, found: StreamState): boolean {
  return state.created !== found.created && Date.parse(found.firstAt) >= Date.parse(found.created);
}
