import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError, envelopeOf } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { Inject, Injectable } from '@nestjs/common';
import { LOG, type Log } from '@switchboard/platform';
import { GATEWAY_CONFIG, type GatewayConfig } from '../gateway.config.js';
import { HSTS } from './app-headers.policy.js';
import { OpenRequests } from './open-requests.js';
import { sendRefusal } from './refusal.js';
import { RequestMetrics } from './request-metrics.js';
import { httpLimits } from './request-limits.policy.js';
import { newTraceId } from './request-trace.js';
import { isStreamed } from './streamed-body.js';
import { RouteTable } from './route-table.js';

/** How long a refused connection is still read, so that its client finds the answer instead of a reset. */
const LINGER_MS = 1_000;
const answered = new WeakSet<Socket>();

/** Answers on the bare socket where Node has no request that Fastify could answer. */
@Injectable()
export class UnparsedRequests {
  constructor(
    private readonly openRequests: OpenRequests,
    private readonly routes: RouteTable,
    private readonly metrics: RequestMetrics,
    @Inject(GATEWAY_CONFIG) private readonly config: Pick<GatewayConfig, 'PUBLIC_BASE_URL'>,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Refuses what the parser or its timers refused: as an answer to the open request of that connection, or on its own. */
  refuse(error: Error, socket: Socket): void {
    if ('code' in error && error.code === 'ECONNRESET') return void socket.destroy();
    const refusal = refusalOfUnparsed(error);
    const open = this.openRequests.on(socket);
    // Its handler has a clock of its own, which runs only while it waits for the client.
    if (open && refusal.code === gatewayErrors.REQUEST_TIMEOUT.code && isStreamed(open.request)) return;
    if (!open) return this.answer(socket, refusal);
    if (open.request.raw.complete) {
      // The answer to the good request goes first; what follows it on the connection is refused after.
      open.reply.raw.once('close', () => this.answer(socket, refusal));
    } else if (open.reply.sent) {
      socket.destroy();
    } else {
      open.reply.header('connection', 'close');
      sendRefusal(open.request, open.reply, refusal);
    }
  }

  /** CONNECT names a host and no path: it is allowed the methods that some path answers. */
  refuseConnect(socket: Socket): void {
    const allow = `Allow: ${this.routes.methods.join(', ')}`;
    this.answer(socket, new AppError(gatewayErrors.METHOD_NOT_ALLOWED), [allow]);
  }

  /** @param headers lines after those of every answer */
  private answer(socket: Socket, refusal: AppError, headers: readonly string[] = []): void {
    if (answered.has(socket) || !socket.writable) return;
    answered.add(socket);
    const traceId = newTraceId();
    const { status, code } = refusal;
    const body = envelopeOf(refusal);
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${traceId}`,
      'X-Content-Type-Options: nosniff',
      'Cache-Control: no-store',
      'Connection: close',
      ...(this.config.PUBLIC_BASE_URL.startsWith('https:') ? [`Strict-Transport-Security: ${HSTS}`] : []),
      ...headers,
    ];
    socket.on('error', () => socket.destroy());
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(timer));
    this.metrics.refusedUnread(code);
    this.log.info('http.request', { method: null, route: 'unparsed', status, code, traceId });
  }
}

/** What Node's parser or its timers refused, as the caller sees it. */
function refusalOfUnparsed(error: Error): AppError {
  const code = 'code' in error ? error.code : undefined;
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new AppError(gatewayErrors.REQUEST_TIMEOUT);
  if (code === 'HPE_HEADER_OVERFLOW') {
    const packet = 'rawPacket' in error && Buffer.isBuffer(error.rawPacket) ? error.rawPacket : undefined;
    return new AppError(isInRequestLine(packet) ? gatewayErrors.URI_TOO_LONG : gatewayErrors.HEADERS_TOO_LARGE);
  }
  return new AppError(serviceErrors.VALIDATION_FAILED, 'The request is not well-formed HTTP/1.1');
}

/** True when the packet in which the limit was passed begins a request whose target alone is too long. */
function isInRequestLine(packet: Buffer | undefined): boolean {
  if (!packet || !/^[A-Z-]{1,20} /.test(packet.toString('latin1', 0, 21))) return false;
  const lineEnd = packet.indexOf('\n');
  return lineEnd === -1 || lineEnd > httpLimits.uriBytesMax;
}
