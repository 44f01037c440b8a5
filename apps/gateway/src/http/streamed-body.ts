import type { Readable } from 'node:stream';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { FastifyRequest } from 'fastify';
import { bodyUseOf } from './route-declaration.js';

/** Limits of a body that a handler reads itself. */
export interface StreamLimits {
  readonly bytesMax: number;
  /** How long the client may keep its reader waiting, all waits together. */
  readonly waitMsMax: number;
  /** Aborts when the request was answered or its connection ended: Node reports neither to who reads an answered request. */
  readonly over: AbortSignal;
}

/** True for a request whose handler reads the body as a stream. */
export function isStreamed(request: FastifyRequest): boolean {
  const { declaration } = request.is404 ? {} : request.routeOptions.config;
  return declaration !== undefined && bodyUseOf(declaration) === 'stream';
}

/**
 * The pieces of a body as they arrive. Nothing is read while the caller works on a piece, so that a client cannot send
 * faster than its body is taken; that time is not the client's.
 *
 * @throws AppError PAYLOAD_TOO_LARGE; REQUEST_TIMEOUT; MALFORMED_BODY when the connection ended before the body did
 */
export async function* piecesOf(
  stream: Readable,
  { bytesMax, waitMsMax, over }: StreamLimits,
): AsyncGenerator<Uint8Array> {
  const pieces = stream.iterator({ destroyOnReturn: false }) as AsyncIterator<Uint8Array>;
  let bytes = 0;
  let leftMs = waitMsMax;
  for (;;) {
    const askedMs = performance.now();
    const next = await nextWithin(pieces, leftMs, over);
    leftMs -= performance.now() - askedMs;
    if (next.done) return;
    bytes += next.value.length;
    if (bytes > bytesMax) throw new AppError(gatewayErrors.PAYLOAD_TOO_LARGE);
    yield next.value;
  }
}

async function nextWithin(
  pieces: AsyncIterator<Uint8Array>,
  waitMs: number,
  over: AbortSignal,
): Promise<IteratorResult<Uint8Array>> {
  const late = Promise.withResolvers<never>();
  const stop = (): void => late.reject(new AppError(gatewayErrors.MALFORMED_BODY));
  if (over.aborted) stop();
  over.addEventListener('abort', stop);
  const timer = setTimeout(() => late.reject(new AppError(gatewayErrors.REQUEST_TIMEOUT)), Math.max(0, waitMs));
  const next = pieces.next();
  try {
    return await Promise.race([next, late.promise]);
  } catch (error) {
    // A client that is late may still break its connection.
    next.catch(() => undefined);
    if (error instanceof AppError) throw error;
    throw new AppError(gatewayErrors.MALFORMED_BODY, undefined, { cause: error });
  } finally {
    clearTimeout(timer);
    over.removeEventListener('abort', stop);
  }
}
