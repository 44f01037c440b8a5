import { Inject, Injectable } from '@nestjs/common';
import { LockedLines } from '@switchboard/outbox';
import { LOG, PollingWorker, TenantByTenant, type Log } from '@switchboard/platform';
import { Database } from '@switchboard/postgres';
import { CauseSignal } from '../job/cause-signal.js';
import { FeedSignal } from '../job/feed-signal.js';
import { holdJobs, releaseJobs } from '../job/job-flow.js';
import { LaneClient } from '../lane/lane.client.js';
import { appendLaneOrders } from '../lane/lane-order.repository.js';
import { LaneOrders } from '../lane/lane-orders.js';
import { organizationsToAsk, recordQuotaUse, type QuotaOwner } from '../organization/organization.repository.js';
import { changedCauses, type ChangedCause } from './changed-causes.repository.js';

const IDLE_MS = 3_000;
/** Jobs, or organizations, of one round. */
const ROUND_MAX = 100;
/** Organizations whose causes are followed at once: half of the connections of one replica. */
const ORGANIZATIONS_MAX = 4;
/** Before an organization that is over its quota is asked of again. */
const ASK_AGAIN_SECONDS = 10;

/**
 * Holds jobs whose template, channel, subscription or quota does not allow them to go on, and releases them when it does.
 *
 * It compares states instead of following events: whatever was missed or came in another order, the next look is right.
 */
@Injectable()
export class WatchCausesWorker extends PollingWorker {
  private readonly tenants = new TenantByTenant((organizationId, error) =>
    this.log.error('job.watch-failed', error, { organizationId }),
  );
  /** Organizations whose lanes did not obey at once. */
  private readonly slow = new LockedLines();
  private readonly quotas = new TenantByTenant((organizationId, error) =>
    this.log.error('job.quota-unknown', error, { organizationId }),
  );

  constructor(
    private readonly database: Database,
    private readonly lanes: LaneClient,
    private readonly orders: LaneOrders,
    private readonly feedSignal: FeedSignal,
    signal: CauseSignal,
    @Inject(LOG) private readonly log: Log,
  ) {
    super({ log, idleMs: IDLE_MS, signal, failureEvent: 'job.watch-failed' });
  }

  /** One look. @returns whether there may be more */
  async round(): Promise<boolean> {
    await this.askQuotas();
    const changed = await changedCauses(this.database, ROUND_MAX, this.tenants.leftAlone());
    const followed = await this.tenants.each(changed, (cause) => this.follow(cause), ORGANIZATIONS_MAX);
    return followed > 0 && changed.length === ROUND_MAX;
  }

  /** Messaging, which is asked, may be away: what is known of other causes is followed all the same. */
  private async askQuotas(): Promise<void> {
    const organizations = await organizationsToAsk(this.database, ASK_AGAIN_SECONDS, ROUND_MAX);
    try {
      await this.quotas.each(organizations, (organization) => this.askQuota(organization));
    } catch (error) {
      this.log.error('job.quota-unknown', error);
    }
  }

  private async askQuota({ organizationId, messagesPerMonth }: QuotaOwner): Promise<void> {
    const { used } = await this.lanes.quota(organizationId);
    await recordQuotaUse(this.database, organizationId, messagesPerMonth, used > messagesPerMonth);
  }

  /** The job is held, or goes on, with the COMMIT; its lane now, unless messaging has just let an order of the organization wait. */
  private async follow({ organizationId, jobId, reason, begins }: ChangedCause): Promise<void> {
    const hold = { organizationId, jobId, reason };
    const changed = await this.database.transaction(async (tx) => {
      const jobs = await (begins ? holdJobs(tx, [hold]) : releaseJobs(tx, [hold]));
      const action = begins ? 'HOLD' : 'RELEASE';
      appendLaneOrders(
        tx,
        jobs.map((job) => ({ ...job, action, reason })),
      );
      return jobs.length > 0;
    });
    if (!changed) return;
    this.log.info(begins ? 'job.held' : 'job.released', { organizationId, jobId, reason });
    this.feedSignal.wake();
    if (this.slow.pauseMs(organizationId) > 0) return;
    if (await this.orders.runOf(organizationId, jobId)) this.slow.passed(organizationId);
    else this.slow.timedOut(organizationId);
  }
}
