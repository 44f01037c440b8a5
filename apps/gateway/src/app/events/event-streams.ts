import { metrics, type Counter } from '@opentelemetry/api';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { WakeUps } from '@switchboard/nats';
import { LOG, PLATFORM, PollingLoop, STOPPING, type Log, type Platform } from '@switchboard/platform';
import { withDeadline } from '@switchboard/timing';
import { PEOPLE, type Sessions } from '../../identity/people.contract.js';
import { EventStream, STREAM_ENDS, type EventStreamSpec } from './event-stream.js';
import { FeedReads } from './feed-reads.js';

/** Streams that are open at once in this process. Source: docs/api-behaviour.md#app-events. */
const streamLimits = { process: 1_000, organization: 100, session: 10 } as const;

/** A session that ended is noticed after so long; a second is promised. */
const SESSIONS_MS = 400;
/** Without a word of the database for so long, no session is trusted any more. */
const SESSIONS_UNKNOWN_MS = 5_000;
const BEAT_MS = 15_000;
const RETRY_AFTER_SECONDS = 10;

/** Whose stream it is. */
export type StreamPlace = Pick<EventStreamSpec, 'organizationId' | 'sessionId'>;

/** The open streams of this process: their bounds, their wake-ups, and their end with their sessions. */
@Injectable()
export class EventStreams implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly open = new Set<EventStream>();
  /** Of those that are about to begin. */
  private readonly places = new Set<StreamPlace>();
  private readonly ended: Counter;
  private readonly sessions: PollingLoop;
  private checkedMs = 0;
  private beats: NodeJS.Timeout | undefined;
  private endListening: (() => void) | undefined;

  constructor(
    @Inject(PEOPLE) private readonly people: { readonly sessions: Pick<Sessions, 'stillOpen'> },
    private readonly reads: FeedReads,
    @Inject(PLATFORM) private readonly platform: Pick<Platform, 'nats' | 'link'>,
    @Inject(STOPPING) private readonly stopping: AbortSignal,
    @Inject(LOG) private readonly log: Log,
  ) {
    const meter = metrics.getMeter('@switchboard/gateway');
    const open = meter.createObservableGauge('switchboard_event_streams', {
      description: 'Streams of events that are open to browsers',
    });
    open.addCallback((result) => result.observe(this.open.size));
    this.ended = meter.createCounter('switchboard_event_streams_ended_total', {
      description: 'Streams of events that ended',
    });
    // A rise from nothing is no rise to Prometheus.
    for (const reason of STREAM_ENDS) this.ended.add(0, { reason });
    this.sessions = new PollingLoop({
      round: () => this.endWithSessions(),
      idleMs: SESSIONS_MS,
      onError: (error) => this.onUnknownSessions(error),
    });
  }

  onApplicationBootstrap(): void {
    this.endListening = new WakeUps(this.platform.nats, this.platform.link, 'webhooks', 'gateway').listen(
      (organizationIds) => this.wake(new Set(organizationIds)),
    );
    this.sessions.start();
    this.beats = setInterval(() => {
      for (const stream of this.open) stream.beat();
    }, BEAT_MS).unref();
    // Before connections are waited for, which these would hold open.
    this.stopping.addEventListener('abort', () => {
      for (const stream of this.open) stream.end('stopping');
    });
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.beats);
    this.endListening?.();
    await this.sessions.stop();
  }

  /**
   * Keeps a place for a stream that is about to begin, until it is given back.
   *
   * @throws AppError RATE_LIMITED when the session, the organization or the process has enough of them; SERVICE_UNAVAILABLE
   */
  keepPlace(place: StreamPlace): void {
    if (this.stopping.aborted) throw new AppError(serviceErrors.SERVICE_UNAVAILABLE);
    const all = [...this.open, ...this.places];
    const isFull =
      all.length >= streamLimits.process ||
      all.filter((one) => one.organizationId === place.organizationId).length >= streamLimits.organization ||
      all.filter((one) => one.sessionId === place.sessionId).length >= streamLimits.session;
    if (isFull) {
      throw new AppError(gatewayErrors.RATE_LIMITED, 'Too many open streams of events', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    this.places.add(place);
  }

  /** Behind `begin`, or in its place. */
  givePlaceBack(place: StreamPlace): void {
    this.places.delete(place);
  }

  /** Begins a stream; it ends by itself. */
  begin(spec: Omit<EventStreamSpec, 'onError'>): void {
    const onError = (error: unknown): void =>
      this.log.warn('event-stream.read-failed', { reason: error instanceof Error ? error.message : 'unknown' });
    const stream = new EventStream({ ...spec, onError });
    this.open.add(stream);
    spec.response.once('close', () => {
      this.open.delete(stream);
      this.ended.add(1, { reason: stream.end('closed') });
    });
    if (this.stopping.aborted) stream.end('stopping');
    else stream.start();
  }

  /** @param organizationIds none: of any organization */
  private wake(organizationIds: ReadonlySet<string>): void {
    this.reads.joinNone(organizationIds);
    for (const stream of this.open) {
      if (organizationIds.size === 0 || organizationIds.has(stream.organizationId)) stream.wake();
    }
  }

  /** Asks the database once for all streams: exact over all gateways, whatever ended a session. */
  private async endWithSessions(): Promise<boolean> {
    const asked = [...this.open];
    if (asked.length > 0) {
      const sessionIds = [...new Set(asked.map(({ sessionId }) => sessionId))];
      const open = await withDeadline(this.people.sessions.stillOpen(sessionIds), SESSIONS_UNKNOWN_MS, () => {
        throw new Error('the database does not answer');
      });
      for (const stream of asked) if (!open.has(stream.sessionId)) stream.end('session');
    }
    this.checkedMs = performance.now();
    return false;
  }

  private onUnknownSessions(error: unknown): void {
    this.log.warn('event-stream.sessions-unknown', { reason: error instanceof Error ? error.message : 'unknown' });
    if (performance.now() - this.checkedMs < SESSIONS_UNKNOWN_MS) return;
    for (const stream of this.open) stream.end('session');
  }
}
