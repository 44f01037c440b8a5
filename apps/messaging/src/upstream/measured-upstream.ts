import { metrics } from '@opentelemetry/api';
import type { LineOutcome, LineRequest } from './line.js';
import type { TemplateListOutcome, TemplateListRequest } from './template-list.js';
import { Upstream, type UpstreamOutcome } from './upstream.js';

type State = UpstreamOutcome['state'];

const STATES: readonly State[] = ['accepted', 'refused', 'not-taken', 'unknown'];
/** From a provider that is near to one that is given up. Source: docs/api-behaviour.md#messages-outcomes. */
const SECOND_BOUNDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** An upstream whose requests are counted and timed, whatever adapter makes them. */
export class MeasuredUpstream extends Upstream {
  private open = 0;
  private readonly attempts;
  private readonly duration;

  constructor(private readonly upstream: Upstream) {
    super();
    const meter = metrics.getMeter('@switchboard/messaging');
    this.attempts = meter.createCounter('switchboard_upstream_attempts_total', {
      description: 'Attempts handed to the upstream, by what came of them',
    });
    for (const outcome of STATES) this.attempts.add(0, { outcome });
    this.duration = meter.createHistogram('switchboard_upstream_request_duration_seconds', {
      description: 'Time of a request to the upstream, by what came of it',
      advice: { explicitBucketBoundaries: SECOND_BOUNDS },
    });
    meter
      .createObservableGauge('switchboard_upstream_requests_in_flight', {
        description: 'Requests to the upstream that are not answered yet',
      })
      .addCallback((result) => result.observe(this.open));
  }

  sendText(...call: Parameters<Upstream['sendText']>): Promise<UpstreamOutcome> {
    return this.measure(() => this.upstream.sendText(...call));
  }

  sendTemplate(...call: Parameters<Upstream['sendTemplate']>): Promise<UpstreamOutcome> {
    return this.measure(() => this.upstream.sendTemplate(...call));
  }

  listTemplates(request: TemplateListRequest): Promise<TemplateListOutcome> {
    return this.upstream.listTemplates(request);
  }

  findLine(request: LineRequest): Promise<LineOutcome> {
    return this.upstream.findLine(request);
  }

  close(): Promise<void> {
    return this.upstream.close();
  }

  private async measure(send: () => Promise<UpstreamOutcome>): Promise<UpstreamOutcome> {
    const startedMs = performance.now();
    this.open++;
    try {
      const outcome = await send();
      const labels = { outcome: outcome.state };
      this.attempts.add(1, labels);
      this.duration.record((performance.now() - startedMs) / 1_000, labels);
      return outcome;
    } finally {
      this.open--;
    }
  }
}
