import { Inject, Injectable } from '@nestjs/common';
import { templatesCallbacksConsumer } from '@switchboard/contracts/consumers';
import type { DeliveredEvent } from '@switchboard/nats';
import { Relay } from '@switchboard/outbox';
import type { Transaction } from '@switchboard/postgres';
import { PlainConsumer, PLATFORM, type Platform } from '@switchboard/platform';
import { SyncSignal } from '../account/sync-signal.js';
import { applyStatusFacts, type StatusFact } from '../template/apply-status-facts.js';
import { templateMetrics } from '../template/template-metrics.js';
import { callbackPlan } from './template-callback.policy.js';

/** Applies the upstream's callbacks about the status of templates, whatever comes twice, late or broken. */
@Injectable()
export class TakeCallbacksConsumer extends PlainConsumer {
  constructor(@Inject(PLATFORM) platform: Platform, relay: Relay, signal: SyncSignal) {
    super(platform, {
      consumer: templatesCallbacksConsumer,
      batchMax: 200,
      // The business account: which organizations have it is known in the transaction.
      lineOf: ({ aggregateId }) => aggregateId,
      onBatch: () => {
        relay.wake();
        signal.wake();
      },
    });
  }

  override onApplicationBootstrap(): void {
    templateMetrics();
    super.onApplicationBootstrap();
  }

  protected async take(tx: Transaction, events: readonly DeliveredEvent[]): Promise<void> {
    const facts: StatusFact[] = [];
    for (const { envelope } of events) {
      const plan = callbackPlan(envelope);
      if (plan.act === 'apply') facts.push(plan.fact);
      else if (plan.act === 'ignore') templateMetrics().fact(plan.reason);
    }
    await applyStatusFacts(tx, facts, 'callback');
  }
}
