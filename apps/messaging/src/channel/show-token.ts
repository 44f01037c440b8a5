import { Injectable } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import type { LineOutcome, LineRequest } from '../upstream/line.js';
import { Upstream } from '../upstream/upstream.js';

type Line = Extract<LineOutcome, { state: 'found' }>;

/** Shows access tokens to the upstream before they are stored. */
@Injectable()
export class ShowToken {
  constructor(private readonly upstream: Upstream) {}

  /** The line that the token reaches. @throws UPSTREAM_REJECTED with the upstream's words; SERVICE_UNAVAILABLE */
  async execute(request: LineRequest): Promise<Line> {
    const outcome = await this.upstream.findLine(request);
    if (outcome.state === 'found') return outcome;
    if (outcome.state === 'unavailable') {
      throw new AppError(serviceErrors.SERVICE_UNAVAILABLE, undefined, { retryAfterSeconds: 5 });
    }
    const message = `The upstream provider refused the channel (${outcome.code}: ${outcome.message})`;
    throw new AppError(messagingErrors.UPSTREAM_REJECTED, message);
  }
}
