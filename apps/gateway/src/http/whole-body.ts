import type { Readable } from 'node:stream';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { BodyShare } from './body-budget.js';
import { GrowingBuffer } from './growing-buffer.js';

/** Chunks of a body that may be as small as they like: a form, or one packet of a client that writes letter by letter. */
const SMALL_CHUNKS_MAX = 10_000;
/** On average, in a body of more chunks: each costs its reading, however little is in it. */
const CHUNK_BYTES_MIN = 4;

/** What a body may take. */
export interface BodyLimits {
  readonly bytesMax: number;
  readonly share: Pick<BodyShare, 'take'>;
}

/**
 * Reads a body to its end into one piece of memory. Fastify would keep each chunk as it came: a Buffer for every byte of a
 * body that comes byte by byte, 500 times its size.
 *
 * @param limits the bytes that it may have, and the memory from which it takes them
 * @param done is called once, with the bytes or with an AppError: PAYLOAD_TOO_LARGE; VALIDATION_FAILED for a body in
 *   absurdly small chunks; MALFORMED_BODY when the connection ended before the body did; as `BodyShare.take`
 * @returns stops the reading: what comes later is discarded, and `done` is not called
 */
export function readWholeBody(
  stream: Readable,
  limits: BodyLimits,
  done: (error: AppError | null, bytes?: Buffer) => void,
): () => void {
  const body = new BodyInChunks(limits);
  const leave = (): void => void stream.off('data', take).off('end', onEnd).off('error', onError);
  const end = (error: AppError | null): void => {
    leave();
    if (error) done(error);
    else done(null, body.bytes);
  };
  const take = (chunk: Buffer): void => {
    const refusal = body.refusalOf(chunk);
    if (refusal) end(refusal);
  };
  const onEnd = (): void => end(null);
  const onError = (cause: unknown): void => end(new AppError(gatewayErrors.MALFORMED_BODY, undefined, { cause }));
  stream.on('data', take).once('end', onEnd).once('error', onError);
  return () => {
    leave();
    stream.resume();
  };
}

class BodyInChunks {
  private chunks = 0;
  private length = 0;
  /** Nearly every body is one chunk, which has memory of its own. */
  private first: Buffer = Buffer.alloc(0);
  private joined: GrowingBuffer | null = null;

  constructor(private readonly limits: BodyLimits) {}

  get bytes(): Buffer {
    return this.joined?.take() ?? this.first;
  }

  /** Takes a chunk. @returns why the body is refused, or null */
  refusalOf(chunk: Buffer): AppError | null {
    this.chunks++;
    this.length += chunk.length;
    if (this.length > this.limits.bytesMax) return new AppError(gatewayErrors.PAYLOAD_TOO_LARGE);
    if ((this.chunks - SMALL_CHUNKS_MAX) * CHUNK_BYTES_MIN > this.length) {
      const sentence = `The body comes in too many chunks; ${CHUNK_BYTES_MIN} bytes in each are the least`;
      return new AppError(serviceErrors.VALIDATION_FAILED, sentence);
    }
    const refusal = this.limits.share.take(chunk.length);
    if (refusal) return refusal;
    if (this.chunks === 1) this.first = chunk;
    else this.join(chunk);
    return null;
  }

  private join(chunk: Buffer): void {
    if (!this.joined) {
      this.joined = new GrowingBuffer(this.limits.bytesMax);
      this.joined.addAll(this.first, 0, this.first.length);
      this.first = Buffer.alloc(0);
    }
    this.joined.addAll(chunk, 0, chunk.length);
  }
}
