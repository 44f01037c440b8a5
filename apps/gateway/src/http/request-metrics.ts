import { metrics, type Counter, type Histogram } from '@opentelemetry/api';
import { Injectable } from '@nestjs/common';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import { OpenRequests } from './open-requests.js';

/** How a request ended. */
export interface EndedRequest {
  readonly method: string;
  /** The route's template, never the path: `/v1/messages/:id`, or `unmatched`. */
  readonly route: string;
  /** 499: the client went away before its answer. */
  readonly status: number;
  readonly durationMs: number;
  /** The code of its refusal, from the registry. */
  readonly code: string | null;
}

/**
 * What most requests are: answered at once, after two commits, after the upstream, or too late. The alert SendsSlow uses
 * 1.5, which is no whole number: newer servers store those in another form (`le="1.0"`).
 */
const SECOND_BOUNDS = [0.005, 0.025, 0.1, 0.5, 1.5, 5];
/** Other methods count as one: the parser knows 35. Source: OpenTelemetry semantic conventions, `http.request.method`. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** The client closed the connection before its answer: by itself, since no refusal of ours is among it. */
const CLOSED = 499;
/** Shown as 0 from the start, because alerts look for their rise. */
const ALERTING = [
  gatewayErrors.UNAUTHORIZED,
  gatewayErrors.RATE_LIMITED,
  messagingErrors.UPSTREAM_NOT_CONNECTED,
  serviceErrors.SERVICE_UNAVAILABLE,
  serviceErrors.INTERNAL,
];

/** Measures requests; a request costs about 1 µs, a refused one 2. */
@Injectable()
export class RequestMetrics {
  private readonly duration: Histogram;
  private readonly refused: Counter;

  constructor(openRequests: OpenRequests) {
    const meter = metrics.getMeter('@switchboard/gateway');
    this.duration = meter.createHistogram('http_server_request_duration_seconds', {
      description:
        'Time from the head of a request to the end of its answer, by route, method and class of status; 499: left by its caller',
      advice: { explicitBucketBoundaries: SECOND_BOUNDS },
    });
    this.refused = meter.createCounter('switchboard_http_refusals_total', {
      description: 'Requests refused, by the code of docs/errors.md',
    });
    for (const { code } of ALERTING) this.refused.add(0, { code });
    meter
      .createObservableGauge('http_server_active_requests', { description: 'Requests under way' })
      .addCallback((result) => result.observe(openRequests.size));
  }

  ended({ method, route, status, durationMs, code }: EndedRequest): void {
    const labels = {
      method: METHODS.has(method) ? method : '_OTHER',
      route,
      status: status === CLOSED ? String(CLOSED) : `${Math.floor(status / 100)}xx`,
    };
    this.duration.record(durationMs / 1_000, labels);
    if (code !== null) this.refused.add(1, { code });
  }

  /** Counts what was refused before it could be read as a request. */
  refusedUnread(code: string): void {
    this.refused.add(1, { code });
  }
}
