import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort } from 'node:worker_threads';
import type { EventBody } from './event-body.js';
import type { TakenRequest } from './webhook-receiver.js';

/** An event that a kill interrupts and its receiver refuses has its third and last attempt left. */
const REFUSED_EVERY = 5;
const refused = new Set<string>();
let unsteadyArrivals = 0;

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { url: path = '', headers } = request;
    const body = Buffer.concat(chunks).toString('utf8');
    const isRefused = path.startsWith('/unsteady/') && refuses((JSON.parse(body) as EventBody).data.id);
    const answered = isRefused ? 500 : 200;
    const taken: TakenRequest = { path, body, signature: String(headers['x-service-signature']), answered };
    parentPort?.postMessage(taken);
    response.statusCode = answered;
    response.end();
  });
});
// An audit stands still for seconds: a connection that is closed behind them would cost the request that is on its way.
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  parentPort?.postMessage(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
// Messages keep their order: what was taken before is known to whoever gets the answer.
parentPort?.on('message', () => parentPort?.postMessage('flushed'));

/** Every fifth, but no event twice. */
function refuses(dataId: string): boolean {
  if (++unsteadyArrivals % REFUSED_EVERY !== 0 || refused.has(dataId)) return false;
  refused.add(dataId);
  return true;
}
