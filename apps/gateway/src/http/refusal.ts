import type { Socket } from 'node:net';
import { HttpException } from '@nestjs/common';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError, envelopeOf, type ErrorDefinition } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { refusalOf, type Log } from '@switchboard/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isAppPath } from './app-headers.policy.js';

/** An announced body of so many bytes is read and thrown away after an early answer. */
const UNREAD_BYTES_MAX = 64 * 1024;
const LINGER_MS = 1_000;
const LINGER_BYTES_MAX = 8 * 1024 * 1024;

/** Answers a request with a refusal and its headers. */
export function sendRefusal(request: FastifyRequest, reply: FastifyReply, error: AppError): void {
  request.state.code = error.code;
  if (error.status === 401) {
    // RFC 9110, 11.6.1 asks for a challenge; browsers know none for cookies and show nothing.
    reply.header('www-authenticate', isAppPath(request.state.path) ? 'Cookie' : 'Bearer');
  }
  const retryAfterSeconds = error.retryAfterSeconds ?? (error.status === 503 ? 1 : undefined);
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(Math.max(1, retryAfterSeconds)));
  if (error.messageId !== undefined) reply.header('x-message-id', error.messageId);
  if (error.upstreamCode !== undefined) reply.header('x-upstream-code', error.upstreamCode);
  closeIfUnread(request, reply);
  reply.code(error.status).type('application/json; charset=utf-8').send(envelopeOf(error));
}

/**
 * Gives up the connection of a request that is answered before its body was read: Node would read all that is announced,
 * however much, to keep the connection. A small body is cheaper to read than a connection is to make.
 */
export function closeIfUnread(request: FastifyRequest, reply: FastifyReply): void {
  if (request.raw.complete) return;
  const announced = request.headers['content-length'];
  const isSmall =
    announced === undefined ? !request.headers['transfer-encoding'] : Number(announced) <= UNREAD_BYTES_MAX;
  if (isSmall) return;
  reply.header('connection', 'close');
  lingerOn(request.raw.socket);
}

/**
 * Closes with patience: a socket destroyed while its client is still sending is answered with a reset, and the client
 * loses the answer. It is read for one more second, or 8 MiB, and then destroyed.
 */
function lingerOn(socket: Socket): void {
  const readBefore = socket.bytesRead;
  socket.destroySoon = () => {
    socket.end();
    const deadlineMs = performance.now() + LINGER_MS;
    const timer = setInterval(() => {
      if (performance.now() > deadlineMs || socket.bytesRead - readBefore > LINGER_BYTES_MAX) socket.destroy();
    }, 20);
    socket.once('close', () => clearInterval(timer));
  };
}

/** What was thrown, as the caller sees it. Logs a bug or a missing dependency, once. */
export function refusalOfThrown(thrown: unknown, log: Log, unit: string): AppError {
  const error = thrown instanceof HttpException && thrown.cause !== undefined ? thrown.cause : thrown;
  return refusalOfHttp(error) ?? refusalOf(error, log, unit);
}

/** What Fastify and Nest themselves refuse; null for anything else. */
function refusalOfHttp(error: unknown): AppError | null {
  if (!(error instanceof Error) || error instanceof AppError) return null;
  const known = 'code' in error && typeof error.code === 'string' ? FASTIFY_REFUSALS[error.code] : undefined;
  if (known) return new AppError(known[0], known[1], { cause: error });
  if (error instanceof HttpException && error.getStatus() === 404) return new AppError(serviceErrors.NOT_FOUND);
  return null;
}

/** Source: Fastify's documentation, "Errors". */
const FASTIFY_REFUSALS: Readonly<Record<string, readonly [ErrorDefinition, string?]>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [gatewayErrors.UNSUPPORTED_MEDIA_TYPE],
  FST_ERR_BAD_URL: [serviceErrors.VALIDATION_FAILED, 'The path is not well-formed: its percent-encoding is wrong'],
  FST_ERR_MAX_PARAM_LENGTH: [serviceErrors.VALIDATION_FAILED, 'A part of the path is too long'],
  FST_ERR_NOT_FOUND: [serviceErrors.NOT_FOUND],
};
