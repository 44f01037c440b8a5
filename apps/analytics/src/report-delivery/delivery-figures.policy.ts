import type { DeliveryFigures, Percentiles } from '@switchboard/contracts/analytics/http';
import { countsUnder, rateOf, type Counts } from '../rollup/report.policy.js';
import { percentileOf, RELATIVE_ERROR } from '../rollup/sketch.policy.js';

/** The figures of counts whose keys are `<report>:<key>`, of the reports messages, failures and delays. */
export function deliveryFiguresOf(counts: Counts): DeliveryFigures {
  const messages = countsUnder(counts, 'messages:');
  const countOf = (key: string): number => messages.get(key) ?? 0;
  const [accepted, sent, delivered, read, failed] = [
    countOf('accepted'),
    countOf('sent'),
    countOf('delivered'),
    countOf('read'),
    countOf('failed'),
  ];
  const failures = [...countsUnder(counts, 'failures:')].map(([code, count]) => ({ code, count }));
  return {
    accepted,
    sent,
    delivered,
    read,
    failed,
    deliveryRate: rateOf(delivered, sent),
    readRate: rateOf(read, delivered),
    failureRate: rateOf(failed, accepted),
    secondsToDelivered: percentilesOf(countsUnder(counts, 'delays:delivered:')),
    secondsToRead: percentilesOf(countsUnder(counts, 'delays:read:')),
    failuresByCode: failures
      .filter(({ count }) => count > 0)
      .sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1)),
  };
}

function percentilesOf(delays: Counts): Percentiles {
  const buckets = new Map([...delays].map(([bucket, count]) => [Number(bucket), count]));
  return {
    p50: rounded(percentileOf(buckets, 0.5)),
    p95: rounded(percentileOf(buckets, 0.95)),
    relativeError: RELATIVE_ERROR,
  };
}

/** To four significant digits: the error of what is left out is far below that of the percentile. */
function rounded(seconds: number | null): number | null {
  return seconds === null ? null : Number(seconds.toPrecision(4));
}
