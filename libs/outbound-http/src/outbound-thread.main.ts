import { parentPort, workerData } from 'node:worker_threads';
import { OutboundHttp } from './outbound-http.client.js';
import { LATE_MS, type ThreadAsk, type ThreadOptions, type ThreadSaid } from './outbound-thread.protocol.js';
import { failed, type OutboundEnd } from './outbound.js';

// Errors end requests here, and their stacks are never read; a stack is most of what an error costs.
Error.stackTraceLimit = 0;
const outbound = new OutboundHttp(workerData as ThreadOptions);
const underWay = new Map<number, AbortController>();
const say = (said: ThreadSaid): void => parentPort?.postMessage(said);
const answer = (id: number, end: OutboundEnd): void => say({ kind: 'end', id, end });

say({ kind: 'ready' });

parentPort?.on('message', (ask: ThreadAsk) => {
  if (ask.kind === 'abort') underWay.get(ask.id)?.abort();
  else void post(ask);
});

async function post({ id, askedAtMs, ...request }: Extract<ThreadAsk, { kind: 'post' }>): Promise<void> {
  const lateMs = performance.timeOrigin + performance.now() - askedAtMs;
  if (lateMs > LATE_MS) return answer(id, failed('never sent', `the thread is ${Math.round(lateMs)} ms late`));
  const controller = new AbortController();
  underWay.set(id, controller);
  const end = await outbound.post({ ...request, signal: controller.signal });
  underWay.delete(id);
  answer(id, end);
}
