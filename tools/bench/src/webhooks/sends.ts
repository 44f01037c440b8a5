import { setTimeout as wait } from 'node:timers/promises';
import type { SeededOrganization } from '@switchboard/dev';
import { LATE_MS, now, PER_SECOND } from './paced.js';
import type { Receiver } from './receiver.js';

/** Whose sends, and where their `message.sent` arrives. */
export interface SendsOptions {
  readonly baseUrl: string;
  readonly organization: Pick<SeededOrganization, 'apiKey'>;
  readonly receiver: Receiver;
  readonly path: string;
  readonly lengthMs: number;
}

/**
 * Sends messages by the API, one at any moment of each step. Their events are committed right before they are answered: so what
 * is measured is commit, relay, broker, fan-out and request together.
 *
 * @returns the time from each answer to the arrival of its event in milliseconds, by their order
 * @throws Error when one does not arrive in time: it could not be told which
 */
export async function sendPaced({ baseUrl, organization, receiver, path, lengthMs }: SendsOptions): Promise<number[]> {
  const answeredMs: number[] = [];
  const startedMs = performance.now();
  const headers = { authorization: `Bearer ${organization.apiKey}`, 'content-type': 'application/json' };
  for (let send = 0; send < (lengthMs * PER_SECOND) / 1_000; send++) {
    const atMs = startedMs + (send + Math.random()) * (1_000 / PER_SECOND);
    await wait(Math.max(atMs - performance.now(), 0));
    const body = JSON.stringify({ to: `+1415555${4_000 + (send % 500)}`, text: 'Your order has left the warehouse.' });
    const answer = await fetch(`${baseUrl}/v1/messages`, { method: 'POST', headers, body });
    answeredMs.push(now());
    if (!answer.ok) throw new Error(`a send was answered ${answer.status}: ${await answer.text()}`);
    await answer.text();
  }
  const arrivedMs: number[] = [];
  for (const deadlineMs = now() + LATE_MS; arrivedMs.length < answeredMs.length && now() < deadlineMs; await wait(100))
    for (const [, atMs] of await receiver.newArrivals(path)) arrivedMs.push(atMs);
  const missing = answeredMs.length - arrivedMs.length;
  if (missing !== 0) throw new Error(`${missing} of ${answeredMs.length} events of sends did not arrive`);
  arrivedMs.sort((one, other) => one - other);
  return answeredMs.map((atMs, index) => (arrivedMs[index] ?? Infinity) - atMs);
}
