import { WebhookRecorder } from '../ledger/webhook-recorder.js';
import { BEGINNING, settle } from '../stage/settle.js';
import type { Stage } from '../stage/stage.js';
import type { FaultContext } from './fault.js';
import type { ReportBook } from './report-book.js';

/** Waits between attempts are hundredths: an attempt that was interrupted or refused is made again within a second. */
const TIME_SCALE = '0.02';
/** A lease of 15 s, a restart, the rest of the load, and the replay at a receiver that is probed after each refusal. */
export const DELIVERED_DEADLINE_MS = 240_000;

/** A stack of the fault's own whose organizations have recorded webhooks, at rest. @param replicas of webhooks */
export async function recordDeliveries(
  context: FaultContext,
  book: ReportBook,
  replicas: number,
): Promise<{ readonly stage: Stage; readonly recorder: WebhookRecorder }> {
  const environment = { WEBHOOKS_TIME_SCALE: TIME_SCALE };
  const stage = await context.fresh({ replicas: { webhooks: replicas }, environment });
  const recorder = await WebhookRecorder.start(stage);
  try {
    // The registrations are events too: a mark is taken at rest.
    const restless = await settle(stage, BEGINNING, { deadlineMs: DELIVERED_DEADLINE_MS, withLeases: false });
    if (restless !== null) book.find({ rule: 'never-quiet', detail: restless });
  } catch (error) {
    await recorder.stop();
    throw error;
  }
  return { stage, recorder };
}
