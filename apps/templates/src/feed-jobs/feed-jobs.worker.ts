import { Inject, Injectable } from '@nestjs/common';
import { Database, LookFloor } from '@switchboard/postgres';
import { CLOCK, LOG, PollingWorker, WorkSlots, type Clock, type Log, type RoundResult } from '@switchboard/platform';
import { backoffMs } from '@switchboard/timing';
import { FeedSignal } from '../job/feed-signal.js';
import { FeedJob } from './feed-job.js';
import { feedMetrics } from './feed-metrics.js';
import { failFeed, goOnAfterStep, nextFeed, takeFeeds, type TakenFeed } from './job-feed.repository.js';

/** Jobs that one replica feeds at once: one that waits for a lock takes the place of no other. */
const UNDERWAY_MAX = 8;
/** How often a replica learns of jobs that others accepted. */
const IDLE_MS = 2_000;
/** A look is at least so far from the last one. */
const PAUSE_MS_MIN = 20;
/** While other replicas have what is due, or the database has not been compared with the broker. */
const REFUSED_MS = 250;
/** While messaging is away. */
const BACKOFF = { firstMs: 250, maxMs: 15_000 };

/** Feeds the lanes of running jobs, whichever replica looks first. */
@Injectable()
export class FeedJobsWorker extends PollingWorker {
  private readonly slots: WorkSlots;
  private readonly floor = new LookFloor();

  constructor(
    private readonly database: Database,
    private readonly feedJob: FeedJob,
    signal: FeedSignal,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {
    super({ log, idleMs: IDLE_MS, signal, failureEvent: 'job.feed-failed' });
    this.slots = new WorkSlots(UNDERWAY_MAX, signal);
  }

  override onApplicationBootstrap(): void {
    feedMetrics();
    super.onApplicationBootstrap();
  }

  override async onModuleDestroy(): Promise<void> {
    await super.onModuleDestroy();
    await this.slots.ended();
  }

  /** Waits for no job, but for a place. */
  protected async round(): Promise<RoundResult> {
    const { free } = this.slots;
    if (free === 0) return false;
    const fromMs = this.floor.begin(this.clock.monotonic());
    if (fromMs === -Infinity) await goOnAfterStep(this.database);
    const { inMs: nextMs, floorMs } = await nextFeed(this.database, fromMs);
    this.floor.move(floorMs, fromMs);
    if (nextMs === null) return false;
    if (nextMs > 0) return Math.max(nextMs, PAUSE_MS_MIN);
    const taken = await takeFeeds(this.database, free, this.floor.ms);
    for (const feed of taken) this.slots.begin(this.feed(feed));
    if (taken.length === 0) return REFUSED_MS;
    return taken.length === free ? false : PAUSE_MS_MIN;
  }

  /** Never rejects: what cannot even be recorded is due again when its lease ends. */
  private async feed(feed: TakenFeed): Promise<void> {
    const { organizationId, jobId, failures, lateMs } = feed;
    feedMetrics().looked(lateMs);
    try {
      await this.feedJob.feed(feed);
    } catch (error) {
      feedMetrics().failed();
      this.log.error('job.feed-failed', error, { organizationId, jobId });
      await failFeed(this.database, feed, backoffMs(failures + 1, BACKOFF)).catch((failure: unknown) =>
        this.log.error('job.feed-failed', failure, { organizationId, jobId }),
      );
    }
  }
}
