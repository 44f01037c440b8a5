import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { onBeat, type OnBeat } from '@switchboard/timing';
import { OpenRequests } from './open-requests.js';
import { sendRefusal } from './refusal.js';
import { httpLimits } from './request-limits.policy.js';
import { isStreamed } from './streamed-body.js';

const SWEEP_INTERVAL_MS = 1_000;

/**
 * Answers 503 to requests whose handler hangs by a bug. One timer for all of them: one for each, as Fastify has it, costs
 * every request 2 µs.
 */
@Injectable()
export class HungRequests implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private sweeps: OnBeat | undefined;

  constructor(private readonly openRequests: OpenRequests) {}

  onApplicationBootstrap(): void {
    this.sweeps = onBeat(SWEEP_INTERVAL_MS, () => this.sweep());
  }

  beforeApplicationShutdown(): void {
    this.sweeps?.stop();
  }

  private sweep(): void {
    const { handlerTimeoutMs, streamHandlerTimeoutMs } = httpLimits;
    const nowMs = performance.now();
    for (const { request, reply } of this.openRequests.olderThan(handlerTimeoutMs)) {
      const mayStillRead = isStreamed(request) && nowMs - request.state.startedMs < streamHandlerTimeoutMs;
      if (!reply.sent && !mayStillRead) sendRefusal(request, reply, new AppError(serviceErrors.SERVICE_UNAVAILABLE));
    }
  }
}
