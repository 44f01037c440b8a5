import { Inject, Injectable } from '@nestjs/common';
import { Relay } from '@switchboard/outbox';
import { Database } from '@switchboard/postgres';
import { CLOCK, LOG, PollingWorker, type Clock, type Log } from '@switchboard/platform';
import { dispatchMetrics } from '../dispatch/dispatch-metrics.js';
import { abandonOverdue } from '../dispatch/dispatch.repository.js';
import { SETTLE_DEADLINE_MS } from '../dispatch/retry.policy.js';
import { failExpired } from './settle-overdue.js';

const ROUND_MAX = 200;
/** Against a lease of 45 s and a deadline of 24 h. */
const IDLE_MS = 4_000;
/** What ended in the last two minutes is looked for in every round, what ended before that once a minute. */
const RECENT_MS = 120_000;
const WHOLE_LOOK_MS = 60_000;

/**
 * Settles what time alone settles: an attempt whose holder is gone is UNKNOWN; what is open past 24 h is FAILED, by name
 * of what is not known of it.
 */
@Injectable()
export class SettleOverdueWorker extends PollingWorker {
  private lookedAtMs = -Infinity;

  constructor(
    private readonly database: Database,
    private readonly relay: Relay,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {
    super({ log, idleMs: IDLE_MS, failureEvent: 'dispatch.overdue-failed' });
  }

  protected async round(): Promise<boolean> {
    const isWhole = this.clock.monotonic() - this.lookedAtMs >= WHOLE_LOOK_MS;
    const sinceMs = isWhole ? undefined : RECENT_MS;
    const abandoned = await abandonOverdue(this.database, ROUND_MAX, SETTLE_DEADLINE_MS, sinceMs);
    // As long as it finds a full round, there may be more.
    if (isWhole && abandoned.length < ROUND_MAX) this.lookedAtMs = this.clock.monotonic();
    for (const { organizationId, messageId } of abandoned) {
      this.log.warn('message.outcome-unknown', { organizationId, messageId });
    }
    dispatchMetrics().unknown('abandoned', abandoned.length);
    const expired = await failExpired(this.database, ROUND_MAX, new Date(this.clock.now()));
    if (expired > 0) this.relay.wake();
    return abandoned.length === ROUND_MAX || expired === ROUND_MAX;
  }
}
