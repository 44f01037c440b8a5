import type { AcceptedJob, SendTemplateBody } from '../../api/api.generated.js';
import { call } from '../../api/call.js';
import { mayBeDone, problemOf } from '../../api/problem.js';

/** The keys of requests that may have been accepted, or are under way, by their bodies. They outlive the page that sends. */
const keys = new Map<string, string>();

/**
 * Starts a bulk send. The same body again, after no answer or a failure, has the same key: it starts no second job, whatever became of
 * the first request. Source: docs/api-behaviour/templates.md, "Idempotency-Key of a bulk send".
 *
 * @throws Problem
 */
export async function sendInBulk(body: SendTemplateBody): Promise<AcceptedJob> {
  const written = JSON.stringify(body);
  const former = keys.get(written);
  const key = former ?? crypto.randomUUID();
  keys.set(written, key);
  try {
    const job = await call('sendTemplate', { body, headers: { 'idempotency-key': key } });
    keys.delete(written);
    return job;
  } catch (error) {
    // A refusal of this request says nothing of an earlier one under the key.
    if (former === undefined && !mayBeDone(problemOf(error))) keys.delete(written);
    throw error;
  }
}
