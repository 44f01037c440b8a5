import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { activeTraceparent } from '@switchboard/nats';
import type { Relay } from '@switchboard/outbox';
import type { Database } from '@switchboard/postgres';
import type { Clock, Log } from '@switchboard/platform';
import { callbackMetrics } from './callback-metrics.js';
import { isSignedByProvider } from './signature.policy.js';
import { splitCallback } from './split-callback.policy.js';
import { coalesceCallbacks } from './take-callback.batch.js';

/** Bytes of callbacks that wait for their commit at once; past that the provider comes again. */
const WAITING_BYTES_MAX = 64 * 1_024 * 1_024;

/** What taking callbacks needs. */
export interface TakeCallbackParts {
  readonly database: Database;
  readonly relay: Pick<Relay, 'wake'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly appSecret: string;
}

/** Verifies a callback, splits it and commits its items as events, before anybody works on them. */
export class TakeCallback {
  private readonly commit: ReturnType<typeof coalesceCallbacks>;
  private readonly metrics = callbackMetrics();
  private waitingBytes = 0;

  constructor(private readonly parts: TakeCallbackParts) {
    this.commit = coalesceCallbacks(parts.database);
  }

  /**
   * Resolves when every item stands in the outbox.
   *
   * @throws AppError FORBIDDEN (not signed by the provider), MALFORMED_BODY, SERVICE_UNAVAILABLE (it will come again)
   */
  async take(body: Buffer, signature: unknown): Promise<void> {
    const { appSecret, clock, log, relay } = this.parts;
    if (!isSignedByProvider(body, signature, appSecret)) {
      throw new AppError(gatewayErrors.FORBIDDEN, '`X-Hub-Signature-256` does not match the body');
    }
    if (this.waitingBytes + body.length > WAITING_BYTES_MAX) throw new AppError(gatewayErrors.SERVICE_UNAVAILABLE);
    this.waitingBytes += body.length;
    try {
      const callback = parseCallback(body);
      const { events, oddItems } = splitCallback(callback, body.length, new Date(clock.now()));
      if (oddItems > 0) log.warn('callback.odd-items', { oddItems, events: events.length, bytes: body.length });
      this.metrics.oddItems(oddItems);
      const traceparent = activeTraceparent();
      const traced = events.map((event) => ({ ...event, traceparent }));
      await this.commit({ account: accountOf(events[0]?.data), events: traced, bytes: body.length });
      this.metrics.taken();
      relay.wake();
    } finally {
      this.waitingBytes -= body.length;
    }
  }

  /** Takes nothing further and returns when what was taken is committed. */
  drain(): Promise<void> {
    return this.commit.drain();
  }
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
