import type { Dispatcher } from 'undici';
import { type OutboundEnd, type OutboundError, OutboundRefusal } from './outbound.js';

/** Bytes of a response that are read and kept. */
const RESPONSE_BYTES_MAX = 1_024;

/** Interim responses (1xx) before the response at most: without a bound they keep a connection busy for the whole time. */
const INTERIM_MAX = 8;

/** Its response ends with the header, whatever that says of a body. Source: RFC 9112, 6.3. */
const NO_CONTENT = 204;

/** One for all: Node works out the stack of whatever ends a connection, and this one's is never read. */
const REST_UNREAD = new Error('the rest of the response is not read');

type Ended =
  | Omit<Extract<OutboundEnd, { state: 'answered' }>, 'durationMs'>
  | Omit<Extract<OutboundEnd, { state: 'failed' }>, 'durationMs'>;

/** Follows one request to its end: reads at most 1 KB of the response, and writes the request once or never. */
export class BoundedPost implements Dispatcher.DispatchHandler {
  private controller: Dispatcher.DispatchController | null = null;
  private hasEnded = false;
  private interim = 0;
  private status: number | null = null;
  private retryAfter: string | null = null;
  private bytes = 0;
  private readonly chunks: Buffer[] = [];

  constructor(private readonly end: (end: Ended) => void) {}

  /** What it throws keeps the request from being written: a lost connection does not make a second request of it. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.controller !== null) throw new Error('the connection was lost');
    if (this.hasEnded) throw new Error('given up');
    this.controller = controller;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status < 200) {
      this.interim += 1;
      if (this.interim > INTERIM_MAX) controller.abort(new Error('too many interim responses'));
      return;
    }
    this.status = status;
    // Sent twice: the first counts.
    this.retryAfter = [headers['retry-after']].flat()[0] ?? null;
    if (status === NO_CONTENT) this.endAtHeader(controller, headers);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.bytes += chunk.length;
    if (this.bytes <= RESPONSE_BYTES_MAX) this.chunks.push(chunk);
    else {
      this.chunks.push(chunk.subarray(0, chunk.length - (this.bytes - RESPONSE_BYTES_MAX)));
      this.onResponseEnd();
      controller.abort(REST_UNREAD);
    }
  }

  onResponseEnd(): void {
    const { status, retryAfter } = this;
    if (status !== null) {
      const isCut = this.bytes > RESPONSE_BYTES_MAX;
      this.finish({ state: 'answered', status, body: this.body(), isCut, retryAfter });
    }
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (error instanceof OutboundRefusal) this.fail(error.error, error.message);
    else this.fail(this.failure(), 'code' in error ? `${String(error.code)}: ${error.message}` : error.message);
  }

  /** Ends the request early. */
  giveUp(reason: string, error: OutboundError = this.failure()): void {
    this.fail(error, reason);
    this.controller?.abort(new Error(reason));
  }

  /** A body that its header names belongs to no response: the connection cannot be used again. */
  private endAtHeader(
    controller: Dispatcher.DispatchController,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    this.onResponseEnd();
    const isLonger = Number(headers['content-length'] ?? 0) !== 0 || headers['transfer-encoding'] !== undefined;
    if (isLonger) controller.abort(REST_UNREAD);
  }

  private failure(): OutboundError {
    return this.status === null ? 'no response' : 'response incomplete';
  }

  private fail(error: OutboundError, reason: string): void {
    this.finish({
      state: 'failed',
      error,
      reason,
      status: this.status,
      body: this.status === null ? null : this.body(),
    });
  }

  private body(): string {
    return storableText(Buffer.concat(this.chunks));
  }

  private finish(end: Ended): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.end(end);
  }
}

/** Bytes as text of at most 1,024 bytes that any database stores: what is no UTF-8, and NUL, becomes U+FFFD. */
function storableText(bytes: Uint8Array): string {
  const text = decode(bytes).replaceAll('\0', '\uFFFD');
  const written = Buffer.from(text, 'utf8');
  return written.length <= RESPONSE_BYTES_MAX ? text : decode(written.subarray(0, RESPONSE_BYTES_MAX));
}

/** Drops a last character that is cut. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });
}
