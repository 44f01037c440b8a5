import type { UsageFigures } from '@switchboard/contracts/analytics/http';
import type { Counts } from '../rollup/counts.js';

/** The figures of counts of the reports messages and requests; a key of the latter is `<class> <method> <route>`. */
export function usageFiguresOf(counts: Counts): UsageFigures {
  const requestsByEndpoint = [...counts.of('requests')].map(([key, requests]) => {
    const space = key.indexOf(' ');
    return { endpoint: key.slice(space + 1), statusClass: key.slice(0, space), requests };
  });
  const messages = counts.of('messages');
  return {
    requests: requestsByEndpoint.reduce((sum, { requests }) => sum + requests, 0),
    requestsByEndpoint: requestsByEndpoint.sort(
      (a, b) => compare(a.endpoint, b.endpoint) || compare(a.statusClass, b.statusClass),
    ),
    messagesIn: messages.get('received') ?? 0,
    messagesOut: messages.get('accepted') ?? 0,
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
