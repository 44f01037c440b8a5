import { isNotNow } from '@switchboard/outbox';
import type { Log } from '@switchboard/platform';
import type { pause } from '@switchboard/timing';
import { dispatchMetrics } from './dispatch-metrics.js';
import type { SettleDispatch, Settlement } from './settle-dispatch.batch.js';
import { BackoffLoop, type RoundResult } from './backoff-loop.js';

/** Far more than attempts can be open: without a database none begins. */
const WAITING_MAX = 10_000;
/** Settlements tried at once, so that they share a batch. */
const ROUND_MAX = 200;
/** Tries of one that fails although the database works: a defect, which must not be repeated for ever. */
const FAULTY_TRIES_MAX = 12;

/**
 * Keeps outcomes that could not be recorded until they are, as long as the process lives.
 *
 * An outage longer than the lease makes their rows UNKNOWN meanwhile; the record made late wins over that.
 */
export class SettlementRetryQueue {
  private readonly waiting = new Map<Settlement, number>();
  private readonly loop: BackoffLoop;
  private hasForgotten = false;

  constructor(
    private readonly settlements: Pick<SettleDispatch, 'execute'>,
    private readonly log: Log,
    wait?: typeof pause,
  ) {
    this.loop = new BackoffLoop(() => this.round(), wait);
  }

  /** Takes an outcome to be recorded. When there are too many it is forgotten: the lease's end finds it as UNKNOWN. */
  keep(settlement: Settlement): void {
    if (this.waiting.size >= WAITING_MAX || this.loop.isStopped) return this.forget(settlement);
    this.waiting.set(settlement, 0);
    this.loop.wake();
  }

  /** Tries all that waits once more, then forgets it. @returns whether nothing was ever forgotten */
  async stop(): Promise<boolean> {
    await this.loop.stop();
    for (const settlement of this.waiting.keys()) this.forget(settlement);
    return !this.hasForgotten;
  }

  private async round(): Promise<RoundResult> {
    const oldest = [...this.waiting.keys()].slice(0, this.loop.isStopped ? WAITING_MAX : ROUND_MAX);
    const recorded = await Promise.all(oldest.map((settlement) => this.record(settlement)));
    if (this.waiting.size === 0) return 'done';
    return recorded.some(Boolean) ? 'advanced' : 'stuck';
  }

  private async record(settlement: Settlement): Promise<boolean> {
    try {
      await this.settlements.execute(settlement);
      this.waiting.delete(settlement);
      dispatchMetrics().settledLate();
      return true;
    } catch (error) {
      const tries = (this.waiting.get(settlement) ?? 0) + (isNotNow(error) ? 0 : 1);
      // Behind the others: what fails for a lock holds up none of them.
      this.waiting.delete(settlement);
      this.waiting.set(settlement, tries);
      this.log.error('dispatch.settle-delayed', error, { messageId: settlement.attempt.messageId });
      if (tries >= FAULTY_TRIES_MAX) this.forget(settlement);
      return false;
    }
  }

  private forget(settlement: Settlement): void {
    this.hasForgotten = true;
    this.waiting.delete(settlement);
    const { attempt, outcome } = settlement;
    this.log.warn('dispatch.outcome-forgotten', { messageId: attempt.messageId, outcome: outcome.state });
  }
}
