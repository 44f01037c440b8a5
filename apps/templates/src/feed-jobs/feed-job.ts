import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, LOG, type Clock, type Log } from '@switchboard/platform';
import { Database } from '@switchboard/postgres';
import { cancelWithdrawn } from '../job/cancel-withdrawn.js';
import { measurePace } from '../job/job-estimate.policy.js';
import { LaneClient } from '../lane/lane.client.js';
import { applyOutcomes } from '../recipient/recipient-outcome.repository.js';
import type { TemplateRow } from '../template/template-view.js';
import { TemplateRepository } from '../template/template.repository.js';
import { batchesOf } from './batches-of.policy.js';
import { feedMetrics } from './feed-metrics.js';
import { feedRoom, nextLookMs } from './feed-window.policy.js';
import { itemsOf } from './items-of.policy.js';
import { claimRecipients, leaveFeed, passSettled, recordFed, type TakenFeed } from './job-feed.repository.js';

/** As many as `messaging.submit-batch` takes. */
const SLICE_MAX = 200;
/** One look hands over for no longer: its lease must outlast the call that is under way then. */
const LOOK_MS_MAX = 3_000;
/** JSON that one look makes: 200 recipients of 1 MB held the process for half a second, and its memory. */
const LOOK_BYTES_MAX = 8_000_000;
const SECONDS_PER_HOUR = 3_600;

/** Their erasure may have come to them before they were of a job, and not again: its last pass is of the release before, which finds them no more. */
const ERASED = { status: 'SKIPPED', reason: 'ERASED' } as const;

/** Recipients `[from, to)`, and the attempts a second of their lane. */
interface Slice {
  readonly from: number;
  readonly to: number;
  readonly perSecond: number;
  /** The look makes no more JSON than that. */
  readonly bytesMax: number;
}

/** What was handed over of a slice. */
interface HandedOver {
  readonly recipients: number;
  /** Recipients that messaging skips: they come into no lane, but are events of messaging like those that do. */
  readonly skipped: number;
  /** Where it ended: before the end of the slice when that was too large for the look. */
  readonly to: number;
  readonly bytes: number;
}

/** Hands the next recipients of a job over to its lane. */
@Injectable()
export class FeedJob {
  constructor(
    private readonly database: Database,
    private readonly lanes: LaneClient,
    private readonly templates: TemplateRepository,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /**
   * One look at a job. What was claimed by a replica that died is handed over first, with the same ids.
   *
   * @throws when messaging does not answer
   */
  async feed(feed: TakenFeed): Promise<void> {
    const { organizationId, jobId } = feed;
    const startedMs = this.clock.monotonic();
    const [template, lane] = await Promise.all([
      this.templates.find(organizationId, feed.templateId),
      this.lanes.state(organizationId, jobId),
    ]);
    if (!template) throw new Error('the template of a job is not there');
    // A lane that there is not yet knows no throttle.
    const throttle = feed.throttlePerHour === null ? Infinity : feed.throttlePerHour / SECONDS_PER_HOUR;
    const perSecond = Math.min(lane.perSecond, throttle);
    let room = feedRoom({ waiting: lane.waiting, perSecond });
    let { fedTo } = feed;
    let { waiting } = lane;
    let bytesMax = LOOK_BYTES_MAX;
    let hasFed = false;
    while ((room > 0 || feed.claimedTo > fedTo) && fedTo < feed.total) {
      const end = feed.claimedTo > fedTo ? feed.claimedTo : fedTo + room;
      const to = Math.min(end, fedTo + SLICE_MAX, feed.total);
      const handedOver = await this.handOver(feed, template, { from: fedTo, to, perSecond, bytesMax });
      if (handedOver === null) return;
      const { recipients, skipped } = handedOver;
      const taken = recipients + skipped;
      room -= taken;
      waiting += recipients;
      hasFed ||= taken > 0;
      fedTo = taken > 0 ? handedOver.to : await passSettled(this.database, feed, handedOver.to);
      bytesMax -= handedOver.bytes;
      if (bytesMax <= 0 || this.clock.monotonic() - startedMs > LOOK_MS_MAX) break;
    }
    const nextMs = nextLookMs({ waiting, perSecond }, hasFed);
    const now = new Date(this.clock.now());
    const { markedAt, markedBegun } = feed;
    const former = markedAt === null || markedBegun === null ? null : { at: markedAt, begun: markedBegun };
    const pace = measurePace({ mark: former, perSecond: feed.begunPerSecond }, lane.begun, now);
    await leaveFeed(this.database, feed, {
      nextMs,
      lanePerSecond: perSecond,
      begunPerSecond: pace.perSecond,
      markedAt: pace.mark.at,
      markedBegun: pace.mark.begun,
    });
  }

  /** @returns what came into the lane; null when the job does not go on */
  private async handOver(
    feed: TakenFeed,
    template: TemplateRow,
    { from, to, perSecond, bytesMax }: Slice,
  ): Promise<HandedOver | null> {
    const { organizationId, jobId, channelId: messagingChannelId, throttlePerHour } = feed;
    const slice = await claimRecipients(this.database, feed, from, to, perSecond);
    if (!slice) return null;
    const { items, unfit, bytes, leftFrom } = itemsOf(template, slice.claimed, bytesMax);
    // What is left is claimed, and handed over first by the next look.
    const end = leftFrom ?? to;
    const lane = { jobId, messagingChannelId, throttlePerHour };
    for (const batch of batchesOf(items)) {
      const request = { ...lane, items: batch };
      const { isWithdrawn } = await this.lanes.submit(organizationId, request);
      if (isWithdrawn) return this.leaveWithdrawn(feed);
    }
    if (unfit.length > 0) {
      // Another replica may have handed them over, before the template was edited or since: messaging alone knows, and reports what it skips.
      const { isWithdrawn } = await this.lanes.skip(organizationId, { ...lane, recipients: unfit });
      if (isWithdrawn) return this.leaveWithdrawn(feed);
    }
    await this.skipErased(feed, slice.erased);
    await recordFed(this.database, feed, end);
    feedMetrics().handedOver(items.length);
    return { recipients: items.length, skipped: unfit.length, to: end, bytes };
  }

  /** The order that withdrew the lane takes care of what was claimed; in a restored database, the one that withdraws it again. */
  private async leaveWithdrawn({ organizationId, jobId }: TakenFeed): Promise<null> {
    await cancelWithdrawn(this.database, this.log, { organizationId, jobId });
    return null;
  }

  /** They get no message: no quota. */
  private async skipErased({ organizationId, jobId }: TakenFeed, indexes: readonly number[]): Promise<void> {
    if (indexes.length === 0) return;
    await this.lanes.release(organizationId, jobId, indexes);
    const outcomes = indexes.map((index) => ({ organizationId, jobId, index, messageId: null, ...ERASED }));
    await this.database.transaction((tx) => applyOutcomes(tx, outcomes));
  }
}
