import { Budget } from '@switchboard/nats';
import { FakeClock } from './fake-clock.js';

/** More than any try needs, on a busy machine too. */
export const TRY_MS = 60_000;

/**
 * A budget for a request without a responder. It is spent after `durationMs`, and until then each try has time for its answer: of
 * an ordinary one the last try has what is left, and a refusal that comes later than that is no refusal.
 */
export function patientBudget(durationMs: number): Budget {
  const clock = new FakeClock(0);
  setTimeout(() => clock.advance(TRY_MS), durationMs);
  return new Budget(TRY_MS, clock);
}
