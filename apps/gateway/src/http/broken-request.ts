import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError, envelopeOf } from '@switchboard/contracts/grammar/app-error';
import type { Log } from '@switchboard/platform';
import type { RequestMetrics } from './request-metrics.js';
import { httpLimits } from './request-limits.policy.js';
import { newTraceId } from './request-trace.js';

/** How long a refused connection is still read, so that its client finds the answer instead of a reset. */
const LINGER_MS = 1_000;
const answered = new WeakSet<Socket>();

/** What Node's parser or its timers refused, as the outside sees it. */
export function refusalOfBroken(error: Error): AppError {
  const code = 'code' in error ? error.code : undefined;
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new AppError(gatewayErrors.REQUEST_TIMEOUT);
  if (code === 'HPE_HEADER_OVERFLOW') {
    const packet = 'rawPacket' in error && Buffer.isBuffer(error.rawPacket) ? error.rawPacket : undefined;
    return new AppError(isInRequestLine(packet) ? gatewayErrors.URI_TOO_LONG : gatewayErrors.HEADERS_TOO_LARGE);
  }
  return new AppError(gatewayErrors.VALIDATION_FAILED, 'The request is not well-formed HTTP/1.1');
}

/** Where it is told that something was refused that was no request. */
export interface BrokenRequestParts {
  readonly log: Log;
  readonly metrics: Pick<RequestMetrics, 'refusedUnread'>;
}

/** Answers on the bare socket: there is no request that Fastify could answer. @param headers lines beside those of any */
export function answerBroken(
  socket: Socket,
  refusal: AppError,
  { log, metrics }: BrokenRequestParts,
  headers: readonly string[] = [],
): void {
  if (answered.has(socket) || !socket.writable) return;
  answered.add(socket);
  const traceId = newTraceId();
  const body = envelopeOf(refusal);
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ''}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${traceId}`,
    'X-Content-Type-Options: nosniff',
    'Cache-Control: no-store',
    'Connection: close',
    ...headers,
  ];
  socket.on('error', () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  metrics.refusedUnread(refusal.code);
  log.info('http.request', { method: null, route: 'unparsed', status: refusal.status, code: refusal.code, traceId });
}

/** True when the packet in which the limit was passed begins a request whose target alone is too long. */
function isInRequestLine(packet: Buffer | undefined): boolean {
  if (!packet || !/^[A-Z-]{1,20} /.test(packet.toString('latin1', 0, 21))) return false;
  const lineEnd = packet.indexOf('\n');
  return lineEnd === -1 || lineEnd > httpLimits.uriBytesMax;
}
