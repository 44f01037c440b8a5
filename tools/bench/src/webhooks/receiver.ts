import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** A receiver of webhooks; each path is one of its own, and those under a name of `badAnswers` misbehave. */
export interface Receiver {
  readonly url: string;
  /** When each event arrived at a path first since the last call, in milliseconds since 1970, by its id. */
  newArrivals(path: string): Promise<ReadonlyMap<string, number>>;
  stop(): Promise<void>;
}

/** Starts it in a thread, on any port of the loopback. */
export async function startReceiver(): Promise<Receiver> {
  const worker = new Worker(new URL('./receiver.worker.js', import.meta.url));
  const [url] = (await once(worker, 'message')) as [string];
  return {
    url,
    newArrivals: async (path) => {
      worker.postMessage(path);
      const [list] = (await once(worker, 'message')) as [[string, number][]];
      // The first of each: a repetition is no later arrival.
      return new Map(list.toReversed());
    },
    stop: async () => void (await worker.terminate()),
  };
}
