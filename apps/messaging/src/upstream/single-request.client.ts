import type { Clock } from '@switchboard/platform';
import type { Dispatcher } from 'undici';
import type { SendLimits } from './upstream.js';

/** A POST that must leave once or not at all. */
export interface SingleRequest extends SendLimits {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Milliseconds after which it is given up, whatever has come by then. */
  readonly deadlineMs: number;
}

/** How it ended. `began`: bytes of it may have left; false is a proof that none did. */
export type SingleRequestEnd =
  | { readonly state: 'answered'; readonly status: number; readonly body: string }
  | { readonly state: 'failed'; readonly began: boolean; readonly reason: string };

const ANSWER_BYTES_MAX = 64 * 1024;

/**
 * Makes a request once, and knows of a failed one whether any of it left; never rejects.
 *
 * The client calls `onRequestStart` right before it writes to a connection that stands. What fails without that call was
 * never written, whatever the error's code: a refused or slow connection, a failed handshake, a pool that is closed. A
 * second call, by which the client would write the request anew on another connection, is refused.
 */
export function requestOnce(dispatcher: Dispatcher, request: SingleRequest, clock: Clock): Promise<SingleRequestEnd> {
  const { promise, resolve } = Promise.withResolvers<SingleRequestEnd>();
  const { path, headers, body, deadlineMs, noneBegins, giveUp, beginByMs } = request;
  const handler = new OnceHandler(request, clock, resolve);
  const end = (): void => handler.giveUp('given up');
  const giveUpWaiting = (): void => handler.giveUpBeforeItBegins();
  const beginTimer = setTimeout(giveUpWaiting, Math.max(beginByMs - clock.monotonic(), 0));
  const deadlineTimer = setTimeout(end, deadlineMs);
  noneBegins.addEventListener('abort', giveUpWaiting);
  giveUp.addEventListener('abort', end);
  // One deadline for all of a request is ours; these would add up, and begin again with every chunk.
  const limits = { headersTimeout: 0, bodyTimeout: 0 };
  if (noneBegins.aborted || giveUp.aborted) end();
  else dispatcher.dispatch({ method: 'POST', path, headers: { ...headers }, body, ...limits }, handler);
  return promise.finally(() => {
    clearTimeout(beginTimer);
    clearTimeout(deadlineTimer);
    noneBegins.removeEventListener('abort', giveUpWaiting);
    giveUp.removeEventListener('abort', end);
  });
}

class OnceHandler implements Dispatcher.DispatchHandler {
  private controller: Dispatcher.DispatchController | null = null;
  private ended = false;
  private status = 0;
  private bytes = 0;
  private readonly chunks: Buffer[] = [];

  constructor(
    private readonly limits: Pick<SendLimits, 'beginByMs' | 'onBegin'>,
    private readonly clock: Clock,
    private readonly end: (end: SingleRequestEnd) => void,
  ) {}

  /** What it throws keeps the request from being written. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.controller) throw new Error('the connection was lost');
    // The timer may be late: a process that stood still must not send what was given up meanwhile.
    if (this.ended || this.clock.monotonic() > this.limits.beginByMs) throw new Error('too late to begin');
    this.limits.onBegin();
    this.controller = controller;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    this.status = status;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.bytes += chunk.length;
    if (this.bytes > ANSWER_BYTES_MAX) controller.abort(new Error('the answer is larger than 64 KiB'));
    else this.chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.finish({ state: 'answered', status: this.status, body: Buffer.concat(this.chunks).toString('utf8') });
  }

  onResponseError(_controller: unknown, error: Error): void {
    const reason = 'code' in error && typeof error.code === 'string' ? error.code : error.message;
    this.finish({ state: 'failed', began: this.controller !== null, reason });
  }

  giveUpBeforeItBegins(): void {
    if (!this.controller) this.giveUp('not begun in time');
  }

  giveUp(reason: string): void {
    this.finish({ state: 'failed', began: this.controller !== null, reason });
    this.controller?.abort(new Error(reason));
  }

  private finish(end: SingleRequestEnd): void {
    if (this.ended) return;
    this.ended = true;
    this.end(end);
  }
}
