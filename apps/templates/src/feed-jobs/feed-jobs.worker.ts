import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@switchboard/postgres';
import { LOG, PollingWorker, type Log, type RoundResult } from '@switchboard/platform';
import { backoffMs } from '@switchboard/timing';
import { FeedSignal } from '../job/feed-signal.js';
import { FeedJob } from './feed-job.js';
import { feedMetrics } from './feed-metrics.js';
import { failFeed, nextFeedMs, takeFeeds, type TakenFeed } from './job-feed.repository.js';

/** Jobs that one replica feeds at once. */
const ROUND_MAX = 8;
/** How often a replica learns of jobs that others accepted. */
const IDLE_MS = 2_000;
/** A look is at least so far from the last one. */
const PAUSE_MS_MIN = 20;
/** While messaging is away. */
const BACKOFF = { firstMs: 250, maxMs: 15_000 };

/** Feeds the lanes of running jobs, whichever replica looks first. */
@Injectable()
export class FeedJobsWorker extends PollingWorker {
  constructor(
    private readonly database: Database,
    private readonly feedJob: FeedJob,
    signal: FeedSignal,
    @Inject(LOG) private readonly log: Log,
  ) {
    super({ log, idleMs: IDLE_MS, signal, failureEvent: 'job.feed-failed' });
  }

  override onApplicationBootstrap(): void {
    feedMetrics();
    super.onApplicationBootstrap();
  }

  protected async round(): Promise<RoundResult> {
    const taken = await takeFeeds(this.database, ROUND_MAX);
    await Promise.all(taken.map((feed) => this.feed(feed)));
    if (taken.length === ROUND_MAX) return true;
    const nextMs = await nextFeedMs(this.database);
    return nextMs === null ? false : Math.max(nextMs, PAUSE_MS_MIN);
  }

  private async feed(feed: TakenFeed): Promise<void> {
    const { organizationId, jobId, failures, lateMs } = feed;
    feedMetrics().looked(lateMs);
    try {
      await this.feedJob.feed(feed);
    } catch (error) {
      feedMetrics().failed();
      this.log.error('job.feed-failed', error, { organizationId, jobId });
      await failFeed(this.database, feed, backoffMs(failures + 1, BACKOFF));
    }
  }
}
