import { Inject, Injectable } from '@nestjs/common';
import { jobAccepted, jobFinished } from '@switchboard/contracts/templates/job-events';
import { messagingJobsConsumer } from '@switchboard/contracts/consumers';
import type { DeliveredEvent } from '@switchboard/nats';
import type { Transaction } from '@switchboard/postgres';
import { eventDataOf, PlainConsumer, PLATFORM, type Platform } from '@switchboard/platform';
import { finishLanes } from '../bulk-lane/lane.repository.js';
import { confirmReservations } from '../quota/quota-reservation.repository.js';

/** Follows jobs: an accepted one confirms its reservation, a finished one closes its lane. */
@Injectable()
export class FollowJobsConsumer extends PlainConsumer {
  constructor(@Inject(PLATFORM) platform: Platform) {
    super(platform, { consumer: messagingJobsConsumer, batchMax: 200 });
  }

  protected async take(tx: Transaction, events: readonly DeliveredEvent[]): Promise<void> {
    const jobsOf = (definition: typeof jobAccepted | typeof jobFinished) =>
      events.flatMap(({ envelope }) => {
        const found = eventDataOf(envelope, definition);
        return found ? [{ organizationId: found.organizationId, jobId: found.data.jobId }] : [];
      });
    await finishLanes(tx, jobsOf(jobFinished));
    // An event that was lost with the stream is made up for by a later one.
    confirmReservations(tx, [...jobsOf(jobAccepted), ...jobsOf(jobFinished)]);
  }
}
