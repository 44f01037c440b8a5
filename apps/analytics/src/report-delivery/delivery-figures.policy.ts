import type { DeliveryFigures, Percentiles } from '@switchboard/contracts/analytics/http';
import { rateOf, type Counts } from '../rollup/report.policy.js';
import { percentilesOf, RELATIVE_ERROR } from '../rollup/sketch.policy.js';

/** The figures of counts of the reports messages, failures and delays; a key of the last is `<until>:<bucket>`. */
export function deliveryFiguresOf(counts: Counts): DeliveryFigures {
  const messages = counts.get('messages');
  const countOf = (key: string): number => messages?.get(key) ?? 0;
  const [accepted, sent, delivered, read, failed] = [
    countOf('accepted'),
    countOf('sent'),
    countOf('delivered'),
    countOf('read'),
    countOf('failed'),
  ];
  const failures = [...(counts.get('failures') ?? [])].map(([code, count]) => ({ code, count }));
  return {
    accepted,
    sent,
    delivered,
    read,
    failed,
    deliveryRate: rateOf(delivered, sent),
    readRate: rateOf(read, delivered),
    failureRate: rateOf(failed, accepted),
    secondsToDelivered: percentilesUntil('delivered', counts),
    secondsToRead: percentilesUntil('read', counts),
    failuresByCode: failures
      .filter(({ count }) => count > 0)
      .sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1)),
  };
}

function percentilesUntil(until: 'delivered' | 'read', counts: Counts): Percentiles {
  const prefix = `${until}:`;
  const buckets = new Map<number, number>();
  for (const [key, count] of counts.get('delays') ?? []) {
    if (key.startsWith(prefix)) buckets.set(Number(key.slice(prefix.length)), count);
  }
  const [p50 = null, p95 = null] = percentilesOf(buckets, [0.5, 0.95]);
  return { p50: rounded(p50), p95: rounded(p95), relativeError: RELATIVE_ERROR };
}

/** To four significant digits: the error of what is left out is far below that of the percentile. */
function rounded(seconds: number | null): number | null {
  return seconds === null ? null : Number(seconds.toPrecision(4));
}
