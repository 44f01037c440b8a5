import { metrics } from '@opentelemetry/api';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';

/** How a request ended. */
export interface EndedRequest {
  readonly method: string;
  /** The route's template, never the path: `/v1/messages/:id`, or `unmatched`. */
  readonly route: string;
  /** 499: the client went away before its answer. */
  readonly status: number;
  readonly durationMs: number;
  /** The code it was refused with, of the registry. */
  readonly code: string | null;
}

/** What is measured of requests; a request costs about 1 µs, a refused one 2. */
export interface RequestMetrics {
  ended(request: EndedRequest): void;
  /** What was refused before it was a request that could be read. */
  refusedUnread(code: string): void;
}

/**
 * What most requests are: answered at once, after two commits, after the upstream, or too late. The alert SendsSlow asks for
 * 1.5: no whole number, which newer servers store in another form (`le="1.0"`).
 */
const SECOND_BOUNDS = [0.005, 0.025, 0.1, 0.5, 1.5, 5];
/** Others are told as one: the parser knows 35. Source: OpenTelemetry semantic conventions, `http.request.method`. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** Shown as 0 from the start, because alerts look for their rise. */
const ALERTING = [
  gatewayErrors.UNAUTHORIZED,
  gatewayErrors.RATE_LIMITED,
  gatewayErrors.SERVICE_UNAVAILABLE,
  gatewayErrors.INTERNAL,
];

/** @param openRequests how many are under way now */
export function measureRequests(openRequests: () => number): RequestMetrics {
  const meter = metrics.getMeter('@switchboard/gateway');
  const duration = meter.createHistogram('http_server_request_duration_seconds', {
    description: 'Time from the head of a request to the end of its answer, by route, method and class of status',
    advice: { explicitBucketBoundaries: SECOND_BOUNDS },
  });
  const refused = meter.createCounter('switchboard_http_refusals_total', {
    description: 'Requests refused, by the code of docs/errors.md',
  });
  for (const { code } of ALERTING) refused.add(0, { code });
  meter
    .createObservableGauge('http_server_active_requests', { description: 'Requests under way' })
    .addCallback((result) => result.observe(openRequests()));
  return {
    ended: ({ method, route, status, durationMs, code }) => {
      const labels = {
        method: METHODS.has(method) ? method : '_OTHER',
        route,
        status: `${Math.floor(status / 100)}xx`,
      };
      duration.record(durationMs / 1_000, labels);
      if (code !== null) refused.add(1, { code });
    },
    refusedUnread: (code) => refused.add(1, { code }),
  };
}
