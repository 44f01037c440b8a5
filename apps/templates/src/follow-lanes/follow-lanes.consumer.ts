import { Inject, Injectable } from '@nestjs/common';
import { bulkLaneHeld, bulkLaneReleased } from '@switchboard/contracts/messaging/bulk-events';
import { templatesLanesConsumer } from '@switchboard/contracts/consumers';
import type { DeliveredEvent } from '@switchboard/nats';
import type { Transaction } from '@switchboard/postgres';
import { eventDataOf, PlainConsumer, PLATFORM, type Platform } from '@switchboard/platform';
import { FeedSignal } from '../job/feed-signal.js';
import { holdJobs, releaseJobs, type JobHold } from '../job/job-flow.js';

/** Causes that this service knows itself: what the lane reports of them is an echo, perhaps of an earlier time. */
const OWN_REASONS: readonly string[] = ['QUOTA', 'SUBSCRIPTION'];

/** Holds and releases jobs as messaging does their lanes. */
@Injectable()
export class FollowLanesConsumer extends PlainConsumer {
  constructor(@Inject(PLATFORM) platform: Platform, signal: FeedSignal) {
    super(platform, { consumer: templatesLanesConsumer, batchMax: 100, onBatch: () => signal.wake() });
  }

  /** One after the other: a job may be held and released in one batch. */
  protected async take(tx: Transaction, events: readonly DeliveredEvent[]): Promise<void> {
    for (const { envelope } of events) {
      const held = eventDataOf(envelope, bulkLaneHeld);
      const released = eventDataOf(envelope, bulkLaneReleased);
      const event = held ?? released;
      if (!event || OWN_REASONS.includes(event.data.reason)) continue;
      const { jobId, reason } = event.data;
      const hold: JobHold = { organizationId: event.organizationId, jobId, reason };
      await (held ? holdJobs(tx, [hold]) : releaseJobs(tx, [hold]));
    }
  }
}
