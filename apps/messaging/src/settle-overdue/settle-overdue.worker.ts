import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Relay } from '@switchboard/outbox';
import { Database } from '@switchboard/postgres';
import { LOG, PollingLoop, systemClock, type Log } from '@switchboard/service';
import { dispatchMetrics } from '../dispatch/dispatch-metrics.js';
import { abandonOverdue, expiredDispatches } from '../dispatch/dispatch.repository.js';
import { SETTLE_DEADLINE_MS } from '../dispatch/retry.policy.js';
import { recordProgress } from '../message/record-progress.js';

const ROUND_MAX = 200;

/**
 * Settles what time alone settles: an attempt whose holder is gone is UNKNOWN; what is open past 24 h is FAILED, by name
 * of what is not known of it.
 */
@Injectable()
export class SettleOverdueWorker implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly loop: PollingLoop;

  constructor(
    private readonly database: Database,
    private readonly relay: Relay,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.loop = new PollingLoop({
      round: () => this.round(),
      idleMs: 1_000,
      onError: (error) => this.log.error('dispatch.overdue-failed', error),
    });
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.loop.stop();
  }

  private async round(): Promise<boolean> {
    const abandoned = await abandonOverdue(this.database, ROUND_MAX, SETTLE_DEADLINE_MS);
    for (const { organizationId, messageId } of abandoned) {
      this.log.warn('message.outcome-unknown', { organizationId, messageId });
    }
    dispatchMetrics().unknown('abandoned', abandoned.length);
    const expired = await this.expire();
    return abandoned.length === ROUND_MAX || expired === ROUND_MAX;
  }

  /** Late evidence still corrects these: a failure of ours ranks below DELIVERED. */
  private async expire(): Promise<number> {
    const expired = await expiredDispatches(this.database, ROUND_MAX, SETTLE_DEADLINE_MS);
    if (expired.length === 0) return 0;
    const at = new Date(systemClock.now());
    await this.database.transaction((tx) =>
      recordProgress(
        tx,
        expired.map(({ organizationId, messageId, state }) => ({
          organizationId,
          messageId,
          fact: { type: 'failed', at, ...failureOf(state), afterSending: false },
          onlyIfQueued: true,
          upstreamMessageId: null,
          traceparent: null,
        })),
      ),
    );
    for (const { state } of expired) dispatchMetrics().expired(state, 1);
    this.relay.wake();
    return expired.length;
  }
}

function failureOf(state: 'UNKNOWN' | 'RETRY'): { code: string; message: string } {
  return state === 'UNKNOWN'
    ? {
        code: 'UPSTREAM_OUTCOME_UNKNOWN',
        message: 'It is not known whether the upstream took the message; do not send it again blindly',
      }
    : { code: 'UPSTREAM_UNAVAILABLE', message: 'The upstream did not take the message within 24 hours' };
}
