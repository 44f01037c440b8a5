import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { GATEWAY_CONFIG, type GatewayConfig } from '../../gateway.config.js';

/** The simulator delivers a callback before it answers. */
const DEADLINE_MS = 8_000;

/** The control of the upstream simulator; there is none outside of the local run. */
@Injectable()
export class SimulatorClient {
  constructor(@Inject(GATEWAY_CONFIG) private readonly config: Pick<GatewayConfig, 'SANDBOX_URL'>) {}

  /** @throws AppError NOT_FOUND outside of the local run, as for any path that does not exist */
  requireSandbox(): void {
    if (this.config.SANDBOX_URL === '') throw new AppError(serviceErrors.NOT_FOUND);
  }

  /**
   * Has the simulator do something.
   *
   * @param control the path after `/_sim/`
   * @throws AppError VALIDATION_FAILED in the simulator's words; SERVICE_UNAVAILABLE when it is away; NOT_FOUND as `requireSandbox`
   */
  async play(control: 'inbound' | 'preferences' | 'statuses', body: object): Promise<void> {
    this.requireSandbox();
    const answer = await fetch(`${this.config.SANDBOX_URL}/_sim/${control}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.timeout(DEADLINE_MS),
    }).catch((cause: unknown) => {
      throw new AppError(serviceErrors.SERVICE_UNAVAILABLE, undefined, { cause, retryAfterSeconds: 1 });
    });
    if (answer.ok) return;
    const refusal = (await answer.json().catch(() => null)) as { error?: { message?: string } } | null;
    const { message } = refusal?.error ?? {};
    if (answer.status === 400 && message) throw new AppError(serviceErrors.VALIDATION_FAILED, message);
    throw new AppError(serviceErrors.SERVICE_UNAVAILABLE, undefined, { retryAfterSeconds: 1 });
  }
}
