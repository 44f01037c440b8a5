import type { SeededOrganization } from '@switchboard/dev';
import { arrivalsOf, now, pacedSteps } from './paced.js';
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
 * Sends messages by the API, one in each step. Their events are committed right before they are answered: so what
 * is measured is commit, relay, broker, fan-out and request together.
 *
 * @returns the time from each answer to the arrival of its event in milliseconds, by their order
 * @throws Error when one does not arrive in time: which one is not known
 */
export async function sendPaced({ baseUrl, organization, receiver, path, lengthMs }: SendsOptions): Promise<number[]> {
  const answeredMs: number[] = [];
  const headers = { authorization: `Bearer ${organization.apiKey}`, 'content-type': 'application/json' };
  for await (const send of pacedSteps(lengthMs)) {
    const body = JSON.stringify({ to: `+1415555${4_000 + (send % 500)}`, text: 'Your order has left the warehouse.' });
    const answer = await fetch(`${baseUrl}/v1/messages`, { method: 'POST', headers, body });
    answeredMs.push(now());
    if (!answer.ok) throw new Error(`a send was answered ${answer.status}: ${await answer.text()}`);
    await answer.text();
  }
  const arrived = await arrivalsOf(receiver, path, ({ size }) => size >= answeredMs.length);
  const arrivedMs = [...arrived.values()].sort((one, other) => one - other);
  const missing = answeredMs.length - arrivedMs.length;
  if (missing !== 0) throw new Error(`${missing} of ${answeredMs.length} events of sends did not arrive`);
  return answeredMs.map((atMs, index) => (arrivedMs[index] ?? Infinity) - atMs);
}
