import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';

/** One byte a second, of many that were announced. */
const DRIP_MS = 1_000;
const CHUNK = 'x'.repeat(65_536);
const HEADER = `X-Flood: ${'y'.repeat(1_000)}\r\n`;
/** 64 MiB of zeros in 64 KB. */
const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));

/** How receivers misbehave, by the first part of their path. */
export const badAnswers: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => void>> = {
  hanging: () => undefined,
  dripping: (_request, response) => {
    response.writeHead(200, { 'content-length': 100_000 });
    const timer = setInterval(() => response.write('x'), DRIP_MS);
    response.once('close', () => clearInterval(timer));
  },
  endless: (_request, response) => {
    response.writeHead(200);
    const flood = (): void => {
      while (!response.destroyed && response.write(CHUNK)) continue;
    };
    response.on('drain', flood);
    flood();
  },
  flooding: ({ socket }) => {
    const flood = (): void => {
      while (!socket.destroyed && socket.write(HEADER)) continue;
    };
    socket.write('HTTP/1.1 200 OK\r\n');
    socket.on('drain', flood);
    flood();
  },
  bomb: (_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
  },
};
