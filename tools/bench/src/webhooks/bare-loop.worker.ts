import { parentPort, workerData } from 'node:worker_threads';
import { signatureHeaders } from '@switchboard/webhook-signature';
import { Pool } from 'undici';

/** What the loop does. */
export interface BareLoopOptions {
  readonly url: string;
  readonly body: string;
  readonly secret: string;
  readonly requests: number;
  readonly connections: number;
}

const { url, body, secret, requests, connections } = workerData as BareLoopOptions;
const { origin, pathname: path } = new URL(url);
const pool = new Pool(origin, { connections });
const bytes = Buffer.from(body);
let begun = 0;

/** Nothing but what each attempt needs: a signature, the request, its answer. */
async function one(): Promise<void> {
  while (begun < requests) {
    const id = String(begun++);
    const signed = signatureHeaders(bytes, { current: secret, previous: null }, { id, atMs: Date.now() });
    const headers = { 'content-type': 'application/json', 'user-agent': 'Service-Webhooks/1', ...signed };
    const answer = await pool.request({ method: 'POST', path, headers, body: bytes });
    await answer.body.dump();
    if (answer.statusCode !== 200) throw new Error(`the receiver answered ${answer.statusCode}`);
  }
}

const startedMs = performance.now();
await Promise.all(Array.from({ length: connections }, one));
const perSecond = (requests / (performance.now() - startedMs)) * 1_000;
await pool.close();
parentPort?.postMessage(perSecond);
