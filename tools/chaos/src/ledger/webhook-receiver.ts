import { once } from 'node:events';
import { resolve } from 'node:path';
import { Worker } from 'node:worker_threads';

/** A request that a receiver has taken. */
export interface TakenRequest {
  readonly path: string;
  readonly body: string;
  readonly signature: string;
  /** The status. */
  readonly answered: number;
}

const PROGRAM = resolve(import.meta.dirname, '..', '..', 'dist', 'ledger', 'webhook-receiver.worker.js');

/**
 * Receivers in a thread of their own, each path one: `/steady/…` takes everything, `/unsteady/…` refuses every fifth request, but no
 * event twice.
 *
 * Node accepts one connection in each turn of the event loop. In the loop of the load, on a busy machine, those of a burst
 * waited for 10 s, and their requests failed.
 */
export class WebhookReceiver {
  private constructor(
    private readonly worker: Worker,
    /** Where paths are added to. */
    readonly url: string,
  ) {}

  /** Starts them on any port of the loopback. @param onTaken is given each request, in the order of their arrival */
  static async start(onTaken: (request: TakenRequest) => void): Promise<WebhookReceiver> {
    const worker = new Worker(PROGRAM);
    const [url] = (await once(worker, 'message')) as [string];
    worker.on('message', (message: TakenRequest | 'flushed') => {
      if (message !== 'flushed') onTaken(message);
    });
    return new WebhookReceiver(worker, url);
  }

  /** Ends when `onTaken` was given all that had arrived. */
  async flush(): Promise<void> {
    const { promise, resolve: flushed } = Promise.withResolvers<void>();
    const listen = (message: unknown): void => {
      if (message === 'flushed') flushed();
    };
    this.worker.on('message', listen);
    this.worker.postMessage('flush');
    await promise;
    this.worker.off('message', listen);
  }

  async stop(): Promise<void> {
    await this.worker.terminate();
  }
}
