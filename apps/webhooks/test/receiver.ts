import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as it arrived. */
export interface Arrival {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The bytes. */
  readonly body: string;
  /** `data.id` of the body. */
  readonly dataId: string;
  readonly event: string;
  readonly atMs: number;
  /** Requests of the path that were open when it arrived, itself included. */
  readonly open: number;
}

/** Answers a request in whatever way; leaving it open is one. */
export type Answer = (response: ServerResponse, arrival: Arrival) => void;

/** A customer's receiver that records what arrives; each path is a receiver of its own. */
export interface Receiver {
  /** The URL of a path, and how it answers from now on; 200 by default. */
  at(path: string, answer?: Answer): string;
  /** What has arrived at a path. */
  arrivals(path: string): readonly Arrival[];
}

/** Answers with a status and no body. */
export function status(code: number, headers: Record<string, string> = {}): Answer {
  return (response) => void response.writeHead(code, headers).end();
}

/** Starts it on any port of the loopback. */
export async function startReceiver(onEnd: (cleanUp: () => Promise<unknown>) => void): Promise<Receiver> {
  const answers = new Map<string, Answer>();
  const arrivals = new Map<string, Arrival[]>();
  const open = new Map<string, number>();
  const count = (path: string, change: number): number => {
    const now = (open.get(path) ?? 0) + change;
    open.set(path, now);
    return now;
  };
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const opened = count(path, 1);
    response.once('close', () => count(path, -1));
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const { event, data } = JSON.parse(body) as { event: string; data: { id: string } };
      const of = { path, headers: request.headers, body, dataId: data.id, event };
      const arrival = { ...of, atMs: performance.now(), open: opened };
      const list = arrivals.get(path) ?? [];
      arrivals.set(path, list);
      list.push(arrival);
      (answers.get(path) ?? status(200))(response, arrival);
    });
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onEnd(async () => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return {
    at: (path, answer) => {
      if (answer) answers.set(path, answer);
      return `http://127.0.0.1:${port}${path}`;
    },
    arrivals: (path) => arrivals.get(path) ?? [],
  };
}
