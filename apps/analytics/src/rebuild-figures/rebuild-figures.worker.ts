import { Inject, Injectable } from '@nestjs/common';
import { RpcClient } from '@switchboard/nats';
import { LOG, PollingWorker, type Log } from '@switchboard/platform';
import { Database } from '@switchboard/postgres';
import { FactRangeRepository } from '../fact/fact-range.repository.js';
import { figuresMetrics } from '../fact/figures-metrics.js';
import { RebuildRepository, type Rebuild, type RebuildProgress } from '../rebuild/rebuild.repository.js';
import { readPage } from './read-page.js';
import { recountDay } from './recount-day.js';
import { settlePage } from './settle-page.js';

const IDLE_MS = 2_000;

/**
 * Counts the figures of organizations anew from their messages, one page or one day a round, where an operator, or a database
 * that was restored, asks for it.
 *
 * It rests as long as it has worked, so that events and reports have the database as well. What a round has done is committed
 * with how far it came: another process goes on from there.
 */
@Injectable()
export class RebuildFiguresWorker extends PollingWorker {
  private current: Rebuild | undefined;

  constructor(
    private readonly database: Database,
    private readonly rpc: RpcClient,
    private readonly rebuilds: RebuildRepository,
    private readonly facts: FactRangeRepository,
    @Inject(LOG) private readonly log: Log,
  ) {
    super({ log, idleMs: IDLE_MS, failureEvent: 'rebuild.round-failed' });
  }

  /** The pause after it, in milliseconds; false where nothing is to be done. */
  async round(): Promise<number | false> {
    const rebuild = this.current ?? (await this.rebuilds.claim());
    this.current = undefined;
    if (!rebuild) return false;
    const startedMs = performance.now();
    try {
      const progress = await this.proceed(rebuild);
      if (progress) this.report(rebuild, progress);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      await this.rebuilds.failed(rebuild.organizationId, reason);
      throw error;
    }
    return performance.now() - startedMs;
  }

  private async proceed(rebuild: Rebuild): Promise<RebuildProgress | null> {
    if (rebuild.step === 'counts') return recountDay(this.database, rebuild);
    return settlePage(this.database, rebuild, await readPage(this.rpc, this.facts, rebuild));
  }

  private report({ organizationId }: Rebuild, progress: RebuildProgress): void {
    const { step, position, oldestId, factsCorrected, countsCorrected } = progress;
    figuresMetrics().corrected(factsCorrected, countsCorrected);
    if (step === 'done') this.log.info('figures.rebuilt', { organizationId });
    else this.current = { organizationId, step, position, oldestId };
  }
}
