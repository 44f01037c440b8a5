import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort } from 'node:worker_threads';
import { badAnswers } from './bad-answers.js';

/** What the bench asks of the thread; it answers a question for requests alone. */
export interface ReceiverQuestion {
  readonly kind: 'requests' | 'turn';
  readonly path: string;
}

// A thread of its own: an arrival is noted when it arrives, whatever the bench does then.
const arrivals = new Map<string, [id: string, atMs: number][]>();
const turned = new Set<string>();
const server = createServer((request, response) => {
  const path = request.url ?? '';
  const misbehave = badAnswers[path.split('/')[1] ?? ''];
  request.resume().once('end', () => {
    if (misbehave) return misbehave(request, response);
    const list = arrivals.get(path) ?? [];
    arrivals.set(path, list);
    list.push([String(request.headers['webhook-id']), performance.timeOrigin + performance.now()]);
    if (!turned.has(path)) response.end();
  });
});
server.on('connection', (socket) => socket.on('error', () => socket.destroy()));
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  parentPort?.postMessage(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
parentPort?.on('message', ({ kind, path }: ReceiverQuestion) => {
  if (kind === 'turn') return void turned.add(path);
  parentPort?.postMessage(arrivals.get(path) ?? []);
  arrivals.delete(path);
});
