import type { FactoryProvider } from '@nestjs/common';
import { metrics, type Counter } from '@opentelemetry/api';
import { Database, requireAgreedClocks, type PruneStatement } from '@switchboard/postgres';
import type { Clock } from './clock.js';
import type { Log } from './logger.js';
import { CLOCK, LOG } from './platform.module.js';
import { PollingWorker } from './polling.worker.js';

/** Rows that have no use after some time. */
export interface PruneSpec {
  /** Their name in the metric and in logs, plural: `sessions`. */
  readonly rows: string;
  /** Deletes one slice; see `pruneSql`. */
  readonly statement: PruneStatement;
  /** Values of the statement from $2 on. */
  readonly values?: (nowMs: number) => readonly unknown[];
  /** Rows of a slice at most: one statement, so that its locks are short. */
  readonly sliceMax: number;
  /** Pause after the last slice, ±25 %. */
  readonly idleMs: number;
  /**
   * Of rows that are kept for days, and whose loss is noticed: they stay while the clocks of this process and of the database differ.
   * What is over within a day is over by whichever of the two its readers go by.
   */
  readonly needsAgreedClocks?: boolean;
}

let counter: Counter | undefined;

/** Made when first used: an instrument made before the process measures records nothing. */
function prunedRows(): Counter {
  return (counter ??= metrics
    .getMeter('@switchboard/platform')
    .createCounter('switchboard_pruned_rows_total', { description: 'Rows deleted because their time was over' }));
}

/** Deletes old rows, a slice a round, until none is left; then waits. Replicas share the work. */
export class PruneWorker extends PollingWorker {
  constructor(
    private readonly parts: { readonly database: Pick<Database, 'query'>; readonly clock: Clock; readonly log: Log },
    private readonly spec: PruneSpec,
  ) {
    super({ log: parts.log, idleMs: spec.idleMs, failureEvent: 'rows.prune-failed' });
  }

  /** The worker as a provider of a module, which has no other use for it. */
  static provide(spec: PruneSpec): FactoryProvider<PruneWorker> {
    return {
      provide: Symbol(`PruneWorker of ${spec.rows}`),
      inject: [Database, CLOCK, LOG],
      useFactory: (database: Database, clock: Clock, log: Log) => new PruneWorker({ database, clock, log }, spec),
    };
  }

  override onApplicationBootstrap(): void {
    prunedRows().add(0, { rows: this.spec.rows });
    super.onApplicationBootstrap();
  }

  /** One slice. @returns whether it was full @throws ClocksDifferError, see `needsAgreedClocks` */
  async round(): Promise<boolean> {
    const { database, clock, log } = this.parts;
    const { rows, statement, values, sliceMax, needsAgreedClocks } = this.spec;
    if (needsAgreedClocks) await requireAgreedClocks(database, () => clock.now());
    const [pruned] = await database.query(statement, [sliceMax, ...(values?.(clock.now()) ?? [])]);
    const count = pruned?.count ?? 0;
    if (count > 0) log.info('rows.pruned', { rows, count });
    prunedRows().add(count, { rows });
    return count === sliceMax;
  }
}
