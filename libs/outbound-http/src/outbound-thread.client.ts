import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { endsWithin } from '@switchboard/timing';
import { AbortListeners } from './abort-listeners.js';
import { REQUEST_DEADLINE_MS } from './outbound-http.client.js';
import { LATE_MS, type ThreadAsk, type ThreadOptions, type ThreadSaid } from './outbound-thread.protocol.js';
import { failed, type OutboundEnd, type OutboundRequest, type OutboundSender } from './outbound.js';

/** The thread is the built program, also where this file is read as a source. */
const PROGRAM = new URL('../dist/outbound-thread.main.js', import.meta.url);
const MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 };
/** A thread that owes an end and says nothing for so long has stopped to work, and is replaced. */
const SILENT_MS = 3_000;
/** A thread that begins may need so long to say the first word, on a machine that is busy with other work. */
const BEGIN_MS = 60_000;

/** A request that the thread has not answered yet. */
interface Owed {
  readonly askedMs: number;
  readonly resolve: (end: OutboundEnd) => void;
}

/**
 * Sends as `OutboundHttp` does, from a thread of its own: what receivers do to their connections, and what each new connection
 * costs, is nothing to the caller's event loop. A thread that ends is begun anew; what it had under way ends as `aborted`.
 */
export class OutboundThread implements OutboundSender {
  private worker: Worker | undefined;
  private readonly underWay = new Map<number, Owed>();
  private readonly aborts = new AbortListeners();
  private readonly overdueMs: number;
  private requests = 0;
  private isReady = false;
  private heardMs = -Infinity;

  constructor(private readonly options: ThreadOptions) {
    this.overdueMs = (options.deadlineMs ?? REQUEST_DEADLINE_MS) + LATE_MS;
  }

  /**
   * Begins the thread, which the first request would else wait for: seconds, on a machine that is busy.
   *
   * @returns when it can send, has ended, or has taken too long to begin: requests begin it anew
   */
  async start(): Promise<void> {
    const worker = (this.worker ??= this.begin());
    // Its error is what requests are answered with (`lose`).
    const first = Promise.race([once(worker, 'message'), once(worker, 'exit')]).catch(() => undefined);
    await endsWithin(first, BEGIN_MS);
  }

  /** As `OutboundHttp.post`; what the thread could not begin at once ends as `never sent`. Never rejects. */
  async post({ url, headers, body, signal }: OutboundRequest): Promise<OutboundEnd> {
    if (signal?.aborted === true) return failed('aborted', 'aborted by the caller');
    const id = ++this.requests;
    const { promise, resolve } = Promise.withResolvers<OutboundEnd>();
    // Of its own: a view of shared memory would be sent with all of that.
    const own = Uint8Array.from(body);
    const askedAtMs = performance.timeOrigin + performance.now();
    const ask: ThreadAsk = { kind: 'post', id, url, headers, body: own, askedAtMs };
    try {
      this.worker ??= this.begin();
      this.worker.postMessage(ask, [own.buffer]);
    } catch (error) {
      return failed('never sent', messageOf(error));
    }
    this.underWay.set(id, { askedMs: performance.now(), resolve });
    // What the thread has said meanwhile is read first.
    const timer = setTimeout(() => setImmediate(() => this.giveUp(id)), this.overdueMs);
    const endListening = signal && this.aborts.add(signal, () => this.abort(id));
    const end = await promise;
    this.underWay.delete(id);
    clearTimeout(timer);
    endListening?.();
    return end;
  }

  /** Ends the thread, and with it every request and connection. */
  async close(): Promise<void> {
    await this.worker?.terminate();
  }

  /** Ends a request that the thread has not answered. One that begins to work later finds it too late to be sent. */
  private giveUp(id: number): void {
    const owed = this.underWay.get(id);
    if (owed === undefined) return;
    this.abort(id);
    owed.resolve(failed(this.isReady ? 'aborted' : 'never sent', 'the thread does not answer', this.overdueMs));
    if (performance.now() - this.heardMs > SILENT_MS) this.replace();
  }

  private abort(id: number): void {
    this.worker?.postMessage({ kind: 'abort', id } satisfies ThreadAsk);
  }

  /** Nothing more is given to this thread, also not while it ends. */
  private replace(): void {
    const { worker } = this;
    if (worker === undefined) return;
    this.lose(worker, 'the thread does not answer');
    void worker.terminate();
  }

  private begin(): Worker {
    const worker = new Worker(PROGRAM, { workerData: this.options, resourceLimits: MEMORY });
    this.isReady = false;
    this.heardMs = performance.now() + BEGIN_MS - SILENT_MS;
    // An idle thread does not keep the process.
    worker.unref();
    worker.on('message', (said: ThreadSaid) => {
      this.heardMs = performance.now();
      if (said.kind === 'end') this.underWay.get(said.id)?.resolve(said.end);
      else this.isReady ||= this.worker === worker;
    });
    const ended = (cause: unknown): void => this.lose(worker, `the thread has ended: ${messageOf(cause)}`);
    worker.on('error', ended).on('exit', ended);
    return worker;
  }

  /** Ends what the thread owes. */
  private lose(worker: Worker, reason: string): void {
    if (this.worker !== worker) return;
    this.worker = undefined;
    const error = this.isReady ? 'aborted' : 'never sent';
    for (const { askedMs, resolve } of this.underWay.values()) {
      resolve(failed(error, reason, Math.round(performance.now() - askedMs)));
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
