import { EventPublisher, IncarnationMirror, type NatsConnection } from '@switchboard/nats';
import { IncarnationKeeper, RENEW_INTERVAL_MS, restoreWitness, type Restore } from '@switchboard/outbox';
import type { Database } from '@switchboard/postgres';
import { RoundFailures } from './failed-rounds.js';
import { logRelay } from './log-relay.js';
import type { Log } from './logger.js';
import { PollingLoop } from './polling-loop.js';

/** Whose incarnation is kept, and what a restore has to take back. */
export interface KeepIncarnationSpec {
  readonly service: string;
  readonly database: Database;
  readonly nats: NatsConnection;
  readonly log: Log;
  /** See `IncarnationKeeperOptions`. */
  readonly onRestored: ((database: Database, restore: Restore, log: Log) => Promise<void>) | undefined;
}

/**
 * Compares the database with what the broker was shown of it, at once and every 5 s.
 *
 * @returns the loop, after the first comparison; one that was not possible is repeated until it is
 */
export async function keepIncarnation(spec: KeepIncarnationSpec): Promise<PollingLoop> {
  const { service, database, nats, log, onRestored } = spec;
  const keeper = new IncarnationKeeper({
    database,
    mirror: new IncarnationMirror(nats, service),
    noticeRestore: restoreWitness({
      database,
      broker: new EventPublisher(nats, service),
      report: (report) => logRelay(log, report),
    }),
    onRestored: async (restore) => onRestored?.(database, restore, log),
    report: ({ number, lastNumber, writtenBefore }) =>
      log.error('database.restored', new Error('the database is from a backup: its consumers begin anew'), {
        number,
        lastNumber,
        writtenBefore: writtenBefore.toISOString(),
      }),
    // Known to be missing is nothing of this service: what it took from others in the last seconds may be.
    reportPromotion: (promotion) => log.warn('database.promoted', { ...promotion }),
  });
  const failures = new RoundFailures(log, 'database.comparison-failed');
  const round = async (): Promise<boolean> => {
    await keeper.look();
    failures.succeeded();
    return false;
  };
  await round().catch((error: unknown) => failures.failed(error));
  const onError = (error: unknown): void => failures.failed(error);
  const loop = new PollingLoop({ round, idleMs: RENEW_INTERVAL_MS, onError });
  loop.start();
  return loop;
}
