import { metrics } from '@opentelemetry/api';
import type { TurnResult, UnsentRequest } from './deliver-turn.js';
import { INTERRUPTED } from '../delivery/delivery.entity.js';

/** What is counted of deliveries. */
export interface DeliverMetrics {
  /** A turn was committed. */
  turned(result: Pick<TurnResult, 'settled' | 'deactivated'>, unsent: readonly UnsentRequest[]): void;
  /** A look for what no wake-up has reported failed, or a part of it did not end in its time. */
  lookFailed(): void;
}

const KINDS = ['AUTOMATIC', 'MANUAL', 'REPLAY'] as const;
const OUTCOMES = ['succeeded', 'failed', 'interrupted'] as const;
const CAUSES = [
  'late',
  'no_name_server',
  'in_doubt',
  'unreadable_secret',
  'unsubscribed',
] as const satisfies readonly UnsentRequest['cause'][];
let made: DeliverMetrics | undefined;

/** Made when first used, and that is after the process began to measure. @param inFlight requests under way */
export function deliverMetrics(inFlight: () => number): DeliverMetrics {
  return (made ??= makeDeliverMetrics(inFlight));
}

function makeDeliverMetrics(inFlight: () => number): DeliverMetrics {
  const meter = metrics.getMeter('@switchboard/webhooks');
  const attempts = meter.createCounter('switchboard_webhook_attempts_total', {
    description: 'Attempts of deliveries that were recorded, by why they were made and what came of them',
  });
  const deactivations = meter.createCounter('switchboard_webhook_deactivations_total', {
    description: 'Webhooks deactivated after 10 consecutive failures',
  });
  const unsentAttempts = meter.createCounter('switchboard_webhook_unsent_total', {
    description: 'Attempts that never left the process and count as none, by why',
  });
  const failedLooks = meter.createCounter('switchboard_webhook_failed_looks_total', {
    description: 'Looks for pending deliveries that no wake-up has reported, which failed or did not end in their time',
  });
  const open = meter.createObservableGauge('switchboard_webhook_requests_in_flight', {
    description: 'Requests to receivers that have not ended',
  });
  open.addCallback((result) => result.observe(inFlight()));
  for (const kind of KINDS) for (const outcome of OUTCOMES) attempts.add(0, { kind, outcome });
  for (const cause of CAUSES) unsentAttempts.add(0, { cause });
  deactivations.add(0);
  failedLooks.add(0);
  return {
    lookFailed: () => failedLooks.add(1),
    turned: ({ settled, deactivated }, unsent) => {
      for (const { cause } of unsent) unsentAttempts.add(1, { cause });
      const byEnd = Map.groupBy(settled, ({ attempt, result }) => {
        const outcome = result.error === INTERRUPTED ? 'interrupted' : result.outcome.toLowerCase();
        return `${attempt.delivery.kind} ${outcome}`;
      });
      for (const [end, { length }] of byEnd) {
        const [kind, outcome] = end.split(' ');
        attempts.add(length, { kind, outcome });
      }
      if (deactivated.length > 0) deactivations.add(deactivated.length);
    },
  };
}
