import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { eventually } from './eventually.js';

const DEADLINE_MS = 120_000;

/**
 * As a caller does that is refused for now, on a machine that is busy with other work: it asks again.
 *
 * @param ask may be repeated
 * @throws what it throws but SERVICE_UNAVAILABLE
 */
export async function askAgain<Answer extends object>(ask: () => Promise<Answer>): Promise<Answer> {
  let refusal: unknown;
  const once = (): Promise<Answer | null | undefined> =>
    ask().catch((error: unknown) => {
      if (error instanceof AppError && error.code === serviceErrors.SERVICE_UNAVAILABLE.code) return undefined;
      refusal = error;
      return null;
    });
  const answer = await eventually(once, { deadlineMs: DEADLINE_MS });
  if (answer === null) throw refusal;
  return answer;
}
