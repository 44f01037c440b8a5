import type { RunningStack } from '@switchboard/dev';

/** Has the provider's simulator report nothing of what it was sent: callbacks have rows of their own. @throws Error when it refuses */
export async function silenceCallbacks({ devJson: { simulatorUrl } }: RunningStack): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ callbackDelayMs: { sent: null, delivered: null, read: null } });
  const answer = await fetch(`${simulatorUrl}/_sim/knobs`, { method: 'PUT', headers, body });
  if (!answer.ok) throw new Error(`the simulator answered ${answer.status}: ${await answer.text()}`);
}
