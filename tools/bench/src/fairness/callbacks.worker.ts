import { createHmac } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { request } from 'undici';

/** What the thread is given. */
export interface CallbackLoad {
  readonly url: string;
  readonly appSecret: string;
  readonly body: string;
  /** From the begin of one to the begin of the next at least; one at a time. */
  readonly everyMs: number;
}

/** What it sends at its end. */
export interface CallbackAnswers {
  /** Milliseconds of each callback. */
  readonly latenciesMs: readonly number[];
  readonly statuses: Readonly<Record<number, number>>;
}

// A thread of its own: signing large bodies must not make the clock of the measured organization late.
const { url, appSecret, body, everyMs } = workerData as CallbackLoad;
const headers = {
  'content-type': 'application/json',
  'x-hub-signature-256': `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`,
};
const ending = new AbortController();
parentPort?.once('message', () => ending.abort());
const latenciesMs: number[] = [];
const statuses: Record<number, number> = {};
while (!ending.signal.aborted) {
  const startedMs = performance.now();
  const answer = await request(`${url}/upstream/cloud/callbacks`, { method: 'POST', headers, body });
  await answer.body.dump();
  const tookMs = performance.now() - startedMs;
  latenciesMs.push(tookMs);
  statuses[answer.statusCode] = (statuses[answer.statusCode] ?? 0) + 1;
  await wait(Math.max(0, everyMs - tookMs), undefined, { signal: ending.signal }).catch(() => undefined);
}
parentPort?.postMessage({ latenciesMs, statuses } satisfies CallbackAnswers);
