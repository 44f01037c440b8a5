import { performance } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { AbortListeners } from './abort-listeners.js';
import { REQUEST_DEADLINE_MS } from './outbound-http.client.js';
import type { ThreadAsk, ThreadEnd, ThreadOptions } from './outbound-thread.protocol.js';
import { aborted, type OutboundEnd, type OutboundRequest, type OutboundSender } from './outbound.js';

/** The thread is the built program, also where this file is read as a source. */
const PROGRAM = new URL('../dist/outbound-thread.main.js', import.meta.url);
const MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 };
/** A thread that answers later than its own deadline has stopped to work. */
const OVERDUE_MS = 1_000;

/**
 * Sends as `OutboundHttp` does, from a thread of its own: what receivers do to their connections, and what each new connection
 * costs, is nothing to the caller's event loop. A thread that ends is begun anew; what it had under way ends as `aborted`.
 */
export class OutboundThread implements OutboundSender {
  private worker: Worker | undefined;
  private readonly underWay = new Map<number, (end: OutboundEnd) => void>();
  private readonly aborts = new AbortListeners();
  private readonly overdueMs: number;
  private requests = 0;

  constructor(private readonly options: ThreadOptions) {
    this.overdueMs = (options.deadlineMs ?? REQUEST_DEADLINE_MS) + OVERDUE_MS;
  }

  /** As `OutboundHttp.post`. Never rejects. */
  async post({ url, headers, body, signal }: OutboundRequest): Promise<OutboundEnd> {
    if (signal?.aborted === true) return aborted('aborted by the caller');
    const id = ++this.requests;
    const { promise, resolve } = Promise.withResolvers<OutboundEnd>();
    this.underWay.set(id, resolve);
    const abort = (): void => this.ask({ kind: 'abort', id });
    const timer = setTimeout(() => {
      abort();
      resolve(aborted('the thread does not answer', this.overdueMs));
    }, this.overdueMs);
    const endListening = signal && this.aborts.add(signal, abort);
    // Of its own: a view of shared memory would be sent with all of that.
    const own = Uint8Array.from(body);
    const askedAtMs = performance.timeOrigin + performance.now();
    this.ask({ kind: 'post', id, url, headers, body: own, askedAtMs }, [own.buffer]);
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

  private ask(message: ThreadAsk, transferred: ArrayBuffer[] = []): void {
    this.worker ??= this.begin();
    this.worker.postMessage(message, transferred);
  }

  private begin(): Worker {
    const worker = new Worker(PROGRAM, { workerData: this.options, resourceLimits: MEMORY });
    // An idle thread does not keep the process.
    worker.unref();
    worker.on('message', ({ id, end }: ThreadEnd) => this.underWay.get(id)?.(end));
    const ended = (cause: unknown): void => {
      if (this.worker !== worker) return;
      this.worker = undefined;
      const reason = `the thread has ended: ${cause instanceof Error ? cause.message : String(cause)}`;
      for (const resolve of this.underWay.values()) resolve(aborted(reason));
    };
    worker.on('error', ended).on('exit', ended);
    return worker;
  }
}
