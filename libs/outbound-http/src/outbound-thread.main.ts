import { parentPort, workerData } from 'node:worker_threads';
import { OutboundHttp } from './outbound-http.client.js';
import type { ThreadAsk, ThreadEnd, ThreadOptions } from './outbound-thread.protocol.js';
import { aborted } from './outbound.js';

/** A request that is begun later was given up by its caller, or is about to be. */
const LATE_MS = 2_000;

// Errors end requests here, and their stacks are never read; a stack is most of what an error costs.
Error.stackTraceLimit = 0;
const outbound = new OutboundHttp(workerData as ThreadOptions);
const underWay = new Map<number, AbortController>();
const answer = (message: ThreadEnd): void => parentPort?.postMessage(message);

parentPort?.on('message', (ask: ThreadAsk) => {
  if (ask.kind === 'abort') underWay.get(ask.id)?.abort();
  else void post(ask);
});

async function post({ id, askedAtMs, ...request }: Extract<ThreadAsk, { kind: 'post' }>): Promise<void> {
  if (performance.timeOrigin + performance.now() - askedAtMs > LATE_MS)
    return answer({ id, end: aborted('begun too late') });
  const controller = new AbortController();
  underWay.set(id, controller);
  const end = await outbound.post({ ...request, signal: controller.signal });
  underWay.delete(id);
  answer({ id, end });
}
