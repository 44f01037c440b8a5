import type { AcceptedJob, SendTemplateBody } from '../../api/api.generated.js';
import { callOnce } from '../../api/call.js';
import { mayBeDone, problemOf } from '../../api/problem.js';

/** A bulk send that the API has accepted. */
export interface SentInBulk extends AcceptedJob {
  /** True: an earlier request with the same body has started it, and this one started none. */
  readonly isReplayed?: boolean;
}

/**
 * The keys of requests that may have been accepted, or are under way, by digests of their bodies, which may be of megabytes. They outlive
 * the page that sends.
 */
const keys = new Map<string, string>();
/** Bodies that failed under a key that is kept. */
const doubtful = new WeakSet<SendTemplateBody>();

/**
 * Starts a bulk send. The same body again, after no answer or a failure, has the same key: it starts no second job, whatever became of
 * the first request. Source: docs/api-behaviour/templates.md, "Idempotency-Key of a bulk send".
 *
 * @throws Problem
 */
export async function sendInBulk(body: SendTemplateBody): Promise<SentInBulk> {
  const digest = await digestOf(body);
  const former = keys.get(digest);
  const key = former ?? crypto.randomUUID();
  keys.set(digest, key);
  try {
    const { answer, isReplayed } = await callOnce('sendTemplate', { body, headers: { 'idempotency-key': key } });
    keys.delete(digest);
    return { ...answer, isReplayed };
  } catch (error) {
    // A refusal of this request says nothing of an earlier one under the key.
    if (former === undefined && !mayBeDone(problemOf(error))) keys.delete(digest);
    else doubtful.add(body);
    throw error;
  }
}

/** Whether a bulk send that failed may have been accepted: by this request, or by an earlier one with an equal body. */
export function isSendInDoubt(body: SendTemplateBody | undefined): boolean {
  return body !== undefined && doubtful.has(body);
}

/** What the page says of it. */
export function acceptedWords({ isReplayed = false }: SentInBulk): string {
  return isReplayed
    ? 'This is the bulk send that was accepted before. To start another, send it once more.'
    : 'The bulk send is accepted.';
}

async function digestOf(body: SendTemplateBody): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(body)));
  return String(new Uint8Array(bytes));
}
