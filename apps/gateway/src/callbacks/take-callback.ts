import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { callbackStatus } from '@switchboard/contracts/gateway/events';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { activeTraceparent } from '@switchboard/nats';
import { Relay } from '@switchboard/outbox';
import { CLOCK, LOG, STOPPING, type Clock, type Log } from '@switchboard/platform';
import { Database } from '@switchboard/postgres';
import { SharedPause } from '@switchboard/timing';
import { GATEWAY_CONFIG, type GatewayConfig } from '../gateway.config.js';
import { callbackMetrics } from './callback-metrics.js';
import { isSignedByProvider } from './signature.policy.js';
import { splitCallback } from './split-callback.policy.js';
import { coalesceCallbacks } from './take-callback.batch.js';

/** Bytes of callbacks that wait for their commit at once; past that the provider repeats the callback. */
const WAITING_BYTES_MAX = 64 * 1_024 * 1_024;
/** Statuses have time: those that come within it share a commit. The provider has a few callbacks under way at once. */
const STATUSES_GATHER_MS = 25;
const STATUSES_WAITING_MAX = 16;

/** Verifies a callback, splits it and commits its items as events; services process them later. */
@Injectable()
export class TakeCallback implements BeforeApplicationShutdown {
  private readonly commit: ReturnType<typeof coalesceCallbacks>;
  private readonly statuses: SharedPause;
  private readonly metrics = callbackMetrics();
  private waitingBytes = 0;

  constructor(
    database: Database,
    private readonly relay: Relay,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
    @Inject(GATEWAY_CONFIG) private readonly config: Pick<GatewayConfig, 'CLOUD_APP_SECRET'>,
    @Inject(STOPPING) stopping: AbortSignal,
  ) {
    this.statuses = new SharedPause(STATUSES_GATHER_MS, stopping, STATUSES_WAITING_MAX);
    this.commit = coalesceCallbacks(database);
  }

  /**
   * Resolves when every item is committed to the outbox.
   *
   * @throws AppError FORBIDDEN (not signed by the provider), MALFORMED_BODY, SERVICE_UNAVAILABLE (the provider repeats it)
   */
  async take(body: Buffer, signature: unknown): Promise<void> {
    if (!isSignedByProvider(body, signature, this.config.CLOUD_APP_SECRET)) {
      throw notSigned();
    }
    if (this.waitingBytes + body.length > WAITING_BYTES_MAX) throw new AppError(serviceErrors.SERVICE_UNAVAILABLE);
    this.waitingBytes += body.length;
    try {
      const callback = parseCallback(body);
      const { events, oddItems } = splitCallback(callback, body.length, new Date(this.clock.now()));
      if (oddItems > 0) this.log.warn('callback.odd-items', { oddItems, events: events.length, bytes: body.length });
      this.metrics.oddItems(oddItems);
      const traceparent = activeTraceparent();
      const traced = events.map((event) => ({ ...event, traceparent }));
      const hasTime = events.every(({ event }) => event === callbackStatus);
      if (hasTime) await this.statuses.wait();
      await this.commit({ account: accountOf(events[0]?.data), events: traced, bytes: body.length });
      this.metrics.taken();
      if (hasTime) this.relay.wakeLater();
      else this.relay.wake();
    } finally {
      this.waitingBytes -= body.length;
    }
  }

  /** Refuses further callbacks and returns when those that were taken are committed. */
  beforeApplicationShutdown(): Promise<void> {
    return this.commit.drain();
  }
}

/** The refusal of a callback that the provider did not sign. */
export function notSigned(): AppError {
  return new AppError(gatewayErrors.FORBIDDEN, '`X-Hub-Signature-256` does not match the body');
}

function parseCallback(body: Buffer): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch (cause) {
    throw new AppError(gatewayErrors.MALFORMED_BODY, undefined, { cause });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new AppError(gatewayErrors.MALFORMED_BODY, 'The body must be a JSON object');
}

function accountOf(data: unknown): string {
  if (typeof data !== 'object' || data === null) return '';
  if ('phoneNumberId' in data) return String(data.phoneNumberId);
  return 'businessAccountId' in data ? String(data.businessAccountId) : '';
}
