import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { Budget } from '@switchboard/nats';
import { LOG, type Log } from '@switchboard/platform';
import { Database, statement } from '@switchboard/postgres';
import { backoffMs, pause } from '@switchboard/timing';
import { cancelWithdrawn } from '../job/cancel-withdrawn.js';
import { ReleaseSignal } from '../job/release-signal.js';
import { applyOutcomes } from '../recipient/recipient-outcome.repository.js';
import { releaseSlice } from '../release-quota/release-slice.js';
import { LaneClient } from './lane.client.js';
import {
  failuresOfOrders,
  ordersDone,
  ordersFailed,
  takeDueOrders,
  takeOrders,
  type LaneOrder,
  type TakenOrders,
} from './lane-order.repository.js';

/** While messaging is away. */
const BACKOFF = { firstMs: 250, maxMs: 15_000 };

/** A caller waits for its lane, in which attempts may have their slot, but not for messaging to come back. */
const CALLER_WAITS_MS = 5_000;
/** Between the looks of a caller, longer with every failure. */
const LOOKS = { firstMs: 50, maxMs: 1_000 };

/** Recipients that were taken up but, as far as is known, never reached the lane: nothing of them begins any more. */
const leftSql = statement<{ index: number }>(
  'templates.recipient.left',
  `SELECT r.index FROM job_feed f JOIN recipient r ON r.organization_id = f.organization_id AND r.job_id = f.job_id
     AND r.index >= f.fed_to AND r.index < f.claimed_to
   WHERE f.organization_id = $1 AND f.job_id = $2 AND r.status = 'QUEUED' ORDER BY r.index`,
);
const releaseSql = statement<{ releaseFrom: number }>(
  'templates.job.begin-release',
  `UPDATE job j SET release_from = f.fed_to FROM job_feed f
   WHERE j.organization_id = $1 AND j.id = $2 AND f.organization_id = $1 AND f.job_id = $2 AND j.state = 'CANCELED'
   RETURNING j.release_from AS "releaseFrom"`,
);

/** Carries out what the lanes of jobs have still to be given, in the order in which it was decided. */
@Injectable()
export class LaneOrders {
  constructor(
    private readonly database: Database,
    private readonly lanes: LaneClient,
    private readonly releases: ReleaseSignal,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /**
   * Carries out the orders of one job now. What fails, or is another replica's, follows in the background.
   *
   * @returns false when they failed
   */
  async runOf(organizationId: string, jobId: string): Promise<boolean> {
    const budget = new Budget(CALLER_WAITS_MS);
    return this.runNow(organizationId, jobId, budget).finally(() => budget.close());
  }

  /**
   * Carries out the orders of one job, and waits for what another replica carries out of it.
   *
   * @param callers how long its caller waits; 5 s at most
   * @throws SERVICE_UNAVAILABLE when that replica does not come to an end; when messaging does not answer, the orders follow
   */
  async untilObeyed(organizationId: string, jobId: string, callers: Pick<Budget, 'leftMs'>): Promise<void> {
    const budget = new Budget(Math.min(CALLER_WAITS_MS, callers.leftMs));
    for (;;) {
      await this.runNow(organizationId, jobId, budget);
      const failures = await failuresOfOrders(this.database, organizationId, jobId);
      if (failures === null) break;
      if (budget.leftMs <= 0) {
        if (failures > 0) return;
        throw new AppError(serviceErrors.SERVICE_UNAVAILABLE, undefined, { retryAfterSeconds: 1 });
      }
      await pause(backoffMs(failures + 1, LOOKS), budget.signal);
    }
    budget.close();
  }

  /** Carries out what is due. @returns how many jobs there were */
  async runDue(limit: number): Promise<number> {
    const lease = newCuid();
    const taken = await takeDueOrders(this.database, limit, lease);
    await Promise.all(taken.map((one) => this.run(one, lease)));
    return taken.length;
  }

  private async runNow(organizationId: string, jobId: string, budget: Budget): Promise<boolean> {
    const lease = newCuid();
    const taken = await takeOrders(this.database, organizationId, jobId, lease);
    return !taken || this.run(taken, lease, budget);
  }

  /** @returns false when they failed */
  private async run(taken: TakenOrders, lease: string, budget?: Budget): Promise<boolean> {
    const { organizationId, jobId, orders, failures } = taken;
    try {
      for (const order of orders) await this.give(taken, order, budget);
      await ordersDone(this.database, taken, lease, orders.length);
      return true;
    } catch (error) {
      this.log.error('lane-order.failed', error, { organizationId, jobId });
      await ordersFailed(this.database, taken, lease, backoffMs(failures + 1, BACKOFF));
      return false;
    }
  }

  private async give(
    { organizationId, jobId }: TakenOrders,
    order: LaneOrder,
    budget: Budget | undefined,
  ): Promise<void> {
    for (;;) {
      const { withdrawn, isWithdrawn } = await this.lanes.control(organizationId, jobId, order, budget);
      if (order.action !== 'WITHDRAW') {
        if (isWithdrawn) await cancelWithdrawn(this.database, this.log, { organizationId, jobId });
        return;
      }
      if (withdrawn.length === 0) break;
      await this.skip(organizationId, jobId, withdrawn);
    }
    const left = await this.database.query(leftSql, [organizationId, jobId]);
    const indexes = left.map(({ index }) => index);
    await this.skip(organizationId, jobId, indexes);
    const [canceled] = await this.database.query(releaseSql, [organizationId, jobId]);
    // The quota of most jobs is there again with the answer.
    const release = canceled && { organizationId, jobId, ...canceled };
    if (release && (await releaseSlice(this.database, this.lanes, release))) this.releases.wake();
  }

  private async skip(organizationId: string, jobId: string, indexes: readonly number[]): Promise<void> {
    const outcome = { organizationId, jobId, messageId: null, status: 'SKIPPED', reason: 'JOB_CANCELED' } as const;
    await this.database.transaction(async (tx) => {
      await applyOutcomes(
        tx,
        indexes.map((index) => ({ ...outcome, index })),
      );
    });
  }
}
