import type { UsageFigures } from '@switchboard/contracts/analytics/http';
import { countsUnder, type Counts } from '../rollup/report.policy.js';

/** The figures of counts whose keys are `messages:<what>` and `requests:<class> <method> <route>`. */
export function usageFiguresOf(counts: Counts): UsageFigures {
  const requestsByEndpoint = [...countsUnder(counts, 'requests:')].map(([key, requests]) => {
    const [statusClass = '', ...endpoint] = key.split(' ');
    return { endpoint: endpoint.join(' '), statusClass, requests };
  });
  return {
    requests: requestsByEndpoint.reduce((sum, { requests }) => sum + requests, 0),
    requestsByEndpoint: requestsByEndpoint.sort(
      (a, b) => compare(a.endpoint, b.endpoint) || compare(a.statusClass, b.statusClass),
    ),
    messagesIn: counts.get('messages:received') ?? 0,
    messagesOut: counts.get('messages:accepted') ?? 0,
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
