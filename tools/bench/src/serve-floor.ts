import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Serves a floor until it is ended: prints its address, hands over the body of each request whatever its path, and answers 200 with what
 * comes of it.
 */
export function serveFloor(handle: (body: Buffer, headers: IncomingHttpHeaders) => Promise<unknown>): void {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      handle(Buffer.concat(chunks), request.headers).then(
        (body) => answer(response, 200, body),
        (error: unknown) => answer(response, 500, { error: String(error) }),
      );
    });
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1', () => {
    process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
  });
  process.on('SIGTERM', () => process.exit(0));
  process.stdin.on('end', () => process.exit(0)).resume();
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
