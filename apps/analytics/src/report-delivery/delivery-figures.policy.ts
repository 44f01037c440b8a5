import type { DeliveryFigures, Percentiles } from '@switchboard/contracts/analytics/http';
import type { Counts } from '../rollup/counts.js';
import { rateOf } from '../rollup/report.policy.js';
import { RELATIVE_ERROR, type Sketch } from '../rollup/sketch.policy.js';

/** The figures of counts of the reports messages, failures and delays. */
export function deliveryFiguresOf(counts: Counts): DeliveryFigures {
  const messages = counts.of('messages');
  const countOf = (key: string): number => messages.get(key) ?? 0;
  const [accepted, sent, delivered, read, failed] = [
    countOf('accepted'),
    countOf('sent'),
    countOf('delivered'),
    countOf('read'),
    countOf('failed'),
  ];
  const failures = [...counts.of('failures')].map(([code, count]) => ({ code, count }));
  return {
    accepted,
    sent,
    delivered,
    read,
    failed,
    deliveryRate: rateOf(delivered, sent),
    readRate: rateOf(read, delivered),
    failureRate: rateOf(failed, accepted),
    secondsToDelivered: percentilesIn(counts.delaysOf('delivered-after')),
    secondsToRead: percentilesIn(counts.delaysOf('read-after')),
    failuresByCode: failures
      .filter(({ count }) => count > 0)
      .sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1)),
  };
}

function percentilesIn(delays: Sketch): Percentiles {
  const [p50 = null, p95 = null] = delays.percentiles([0.5, 0.95]);
  return { p50: rounded(p50), p95: rounded(p95), relativeError: RELATIVE_ERROR };
}

/** To four significant digits: the error of what is left out is far below that of the percentile. */
function rounded(seconds: number | null): number | null {
  return seconds === null ? null : Number(seconds.toPrecision(4));
}
