import type { Dispatcher } from 'undici';
import { type OutboundEnd, type OutboundError, OutboundRefusal, reasonOf } from './outbound.js';

/** Bytes of a response that are kept. */
const RESPONSE_BYTES_MAX = 1_024;

/**
 * A longer response is read on to so many bytes, and its connection is used again: a page, or a resource that is answered in full. Not more:
 * with 64 KB of each of 500 that flood, a healthy receiver's events took 200 ms.
 */
const READ_BYTES_MAX = 8 * 1024;

/** Interim responses (1xx) before the response at most: without a bound they keep a connection busy for the whole time. */
const INTERIM_MAX = 8;

/** Its response ends with the header, whatever that says of a body. Source: RFC 9112, 6.3. */
const NO_CONTENT = 204;

/** One for all: Node works out the stack of whatever ends a connection, and this one's is never read. */
const REST_UNREAD = new Error('the rest of the response is not read');

type Ended =
  | Omit<Extract<OutboundEnd, { state: 'answered' }>, 'durationMs'>
  | Omit<Extract<OutboundEnd, { state: 'failed' }>, 'durationMs'>;

/** Follows one request to its end: keeps at most 1 KB of the response, reads 8 KB, and writes the request once or never. */
export class BoundedPost implements Dispatcher.DispatchHandler {
  private controller: Dispatcher.DispatchController | null = null;
  private hasEnded = false;
  private interim = 0;
  private status: number | null = null;
  private retryAfter: string | null = null;
  private bytes = 0;
  private readMax = READ_BYTES_MAX;
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
    // Its end would not be read.
    if (Number(headers['content-length']) > READ_BYTES_MAX) this.readMax = RESPONSE_BYTES_MAX;
    if (status === NO_CONTENT) this.endAtHeader(controller, headers);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const room = RESPONSE_BYTES_MAX - this.bytes;
    this.bytes += chunk.length;
    // A copy of a part, so that the whole is not kept with it.
    if (room > 0) this.chunks.push(chunk.length > room ? Buffer.from(chunk.subarray(0, room)) : chunk);
    if (this.bytes <= this.readMax) return;
    this.onResponseEnd();
    controller.abort(REST_UNREAD);
  }

  onResponseEnd(): void {
    const { status } = this;
    if (status !== null) this.answered(status, { isCut: this.bytes > this.readMax });
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (error instanceof OutboundRefusal) this.fail(error.error, error.message);
    else this.fail(this.failure(), reasonOf(error));
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
    const { status, retryAfter } = this;
    // All that is kept of it has come.
    if (status !== null && this.bytes > RESPONSE_BYTES_MAX) return this.answered(status, { isCut: true });
    this.finish({ state: 'failed', error, reason, status, body: status === null ? null : this.body(), retryAfter });
  }

  private answered(status: number, { isCut }: { readonly isCut: boolean }): void {
    this.finish({ state: 'answered', status, body: this.body(), isCut, retryAfter: this.retryAfter });
  }

  private body(): string {
    return storableText(Buffer.concat(this.chunks), { isPart: this.bytes > RESPONSE_BYTES_MAX });
  }

  private finish(end: Ended): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.end(end);
  }
}

/**
 * Bytes as text of at most 1,024 bytes that any database stores: what is no UTF-8, and NUL, becomes U+FFFD.
 *
 * @param isPart more came: a last character that is cut is dropped
 */
function storableText(bytes: Uint8Array, { isPart }: { readonly isPart: boolean }): string {
  const text = decode(bytes, isPart).replaceAll('\0', '\uFFFD');
  const written = Buffer.from(text, 'utf8');
  return written.length <= RESPONSE_BYTES_MAX ? text : decode(written.subarray(0, RESPONSE_BYTES_MAX), true);
}

function decode(bytes: Uint8Array, isPart: boolean): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: isPart });
}
