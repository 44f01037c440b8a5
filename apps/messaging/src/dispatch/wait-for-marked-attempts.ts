import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { pause } from '@switchboard/timing';

const LOOK_EVERY_MS = 25;

/**
 * Returns when none of the attempts that the first look finds may reach the upstream any more. Attempts leave the list at most
 * `ARRIVE_WITHIN_MS` after their mark.
 *
 * @param look ids of messages whose attempt is marked and may still arrive; what is marked behind the first look is not
 *   waited for
 * @returns how many were waited for
 * @throws SERVICE_UNAVAILABLE when the caller's patience ends before
 */
export async function waitForMarkedAttempts(look: () => Promise<string[]>, signal: AbortSignal): Promise<number> {
  const first = new Set(await look());
  for (let open = first.size; open > 0; open = (await look()).filter((id) => first.has(id)).length) {
    await pause(LOOK_EVERY_MS, signal);
    if (signal.aborted) throw new AppError(serviceErrors.SERVICE_UNAVAILABLE, undefined, { retryAfterSeconds: 1 });
  }
  return first.size;
}
