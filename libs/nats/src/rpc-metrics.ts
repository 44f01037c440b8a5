import { metrics } from '@opentelemetry/api';

/** How a call ended: `refused` by the service with a code; `unanswered` although it may have been taken. */
export type RpcCallOutcome = 'answered' | 'refused' | 'unanswered' | 'no_responder';

/** What is measured of the calls that a process makes. */
export interface RpcClientMetrics {
  called(subject: string, outcome: RpcCallOutcome, durationMs: number): void;
}

const SECOND_BOUNDS = [0.0025, 0.01, 0.025, 0.1, 0.5, 2.5, 5, 10];

/** The histogram of this process's calls; about 0.5 µs a call. */
export function rpcClientMetrics(): RpcClientMetrics {
  const duration = metrics.getMeter('@switchboard/nats').createHistogram('switchboard_rpc_client_duration_seconds', {
    description: 'Time of a call to another service, by outcome; pauses while no process answers included',
    advice: { explicitBucketBoundaries: SECOND_BOUNDS },
  });
  return { called: (rpc, outcome, durationMs) => duration.record(durationMs / 1_000, { rpc, outcome }) };
}

/** What is measured of the calls that a process answers. */
export interface RpcServerMetrics {
  /** A call was refused because too many were under way, or because its age is unknown. */
  refused(): void;
}

/** @param underway how many calls are being answered now */
export function rpcServerMetrics(underway: () => number): RpcServerMetrics {
  const meter = metrics.getMeter('@switchboard/nats');
  const refused = meter.createCounter('switchboard_rpc_server_refused_total', {
    description: 'Calls refused as SERVICE_UNAVAILABLE before any work: too many under way, or of unknown age',
  });
  refused.add(0);
  meter
    .createObservableGauge('switchboard_rpc_server_requests_in_flight', {
      description: 'Calls that are being answered',
    })
    .addCallback((result) => result.observe(underway()));
  return { refused: () => refused.add(1) };
}
