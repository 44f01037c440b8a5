import { Inject, Injectable } from '@nestjs/common';
import {
  templatesOutcomesConsumer,
  templatesSkippedConsumer,
  type ConsumerTopology,
} from '@switchboard/contracts/consumers';
import type { DeliveredEvent } from '@switchboard/nats';
import type { Transaction } from '@switchboard/postgres';
import { PlainConsumer, PLATFORM, type Platform } from '@switchboard/platform';
import { FeedSignal } from '../job/feed-signal.js';
import type { StatusChange } from '../job/job-count.js';
import { hastenFeeds } from '../job/job-flow.js';
import { TouchedJobs } from '../job/touched-jobs.js';
import { applyOutcomes, type RecipientOutcome } from '../recipient/recipient-outcome.repository.js';
import { outcomeOf } from './message-outcome.policy.js';

const BATCH_MAX = 500;
/** Counts of jobs may lag a little: most messages are of none. */
const PULLS_APART_MS = 200;

/** Settles recipients by the events of a consumer. */
abstract class RecipientOutcomeConsumer extends PlainConsumer {
  /** Of the batch under way. */
  private changes: StatusChange[] = [];

  constructor(
    platform: Platform,
    consumer: ConsumerTopology,
    private readonly touched: TouchedJobs,
  ) {
    super(platform, {
      consumer,
      batchMax: BATCH_MAX,
      pullsApartMs: PULLS_APART_MS,
      onBatch: () => this.noteChanges(),
    });
  }

  protected async take(tx: Transaction, events: readonly DeliveredEvent[]): Promise<void> {
    const outcomes = events.flatMap(({ envelope }) => outcomeOf(envelope) ?? []);
    this.changes.push(...(await applyOutcomes(tx, outcomes)));
    await this.onApplied(tx, outcomes);
  }

  /** What else the outcomes bring about, in their transaction. */
  protected async onApplied(_tx: Transaction, _outcomes: readonly RecipientOutcome[]): Promise<void> {}

  /** Of a transaction that failed too: looking at a job once more changes nothing. */
  private noteChanges(): void {
    this.touched.note(this.changes);
    this.changes = [];
  }
}

/** Settles recipients by what became of their messages. */
@Injectable()
export class RecordOutcomesConsumer extends RecipientOutcomeConsumer {
  constructor(@Inject(PLATFORM) platform: Platform, touched: TouchedJobs) {
    super(platform, templatesOutcomesConsumer, touched);
  }
}

/** Settles recipients that get no message; others come up in their place. */
@Injectable()
export class RecordSkippedConsumer extends RecipientOutcomeConsumer {
  constructor(
    @Inject(PLATFORM) platform: Platform,
    touched: TouchedJobs,
    private readonly feedSignal: FeedSignal,
  ) {
    super(platform, templatesSkippedConsumer, touched);
  }

  /** The signal may come before the commit: what is missed then is found at the next look. */
  protected override async onApplied(tx: Transaction, outcomes: readonly RecipientOutcome[]): Promise<void> {
    const jobs = new Map(outcomes.map((outcome) => [`${outcome.organizationId} ${outcome.jobId}`, outcome]));
    await hastenFeeds(tx, [...jobs.values()]);
    this.feedSignal.wake();
  }
}
