import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ReceiverQuestion } from './receiver.worker.js';

/** A request with the id of its event, and when it came, in milliseconds since 1970. */
export type Arrival = readonly [id: string, atMs: number];

/** A receiver of webhooks; each path is one of its own, and those under a name of `badAnswers` misbehave. */
export interface Receiver {
  readonly url: string;
  /** When each event arrived at a path first since the last call, in milliseconds since 1970, by its id. */
  newArrivals(path: string): Promise<ReadonlyMap<string, number>>;
  /** Every request to a path since the last call of either, repetitions among them, in their order. */
  newRequests(path: string): Promise<readonly Arrival[]>;
  /** From now on requests to a path are read and never answered. */
  turn(path: string): void;
  stop(): Promise<void>;
}

/** Starts it in a thread, on any port of the loopback. */
export async function startReceiver(): Promise<Receiver> {
  const worker = new Worker(new URL('./receiver.worker.js', import.meta.url));
  const [url] = (await once(worker, 'message')) as [string];
  const post = (question: ReceiverQuestion): void => worker.postMessage(question);
  const newRequests = async (path: string): Promise<readonly Arrival[]> => {
    post({ kind: 'requests', path });
    const [list] = (await once(worker, 'message')) as [readonly Arrival[]];
    return list;
  };
  return {
    url,
    newRequests,
    // The first of each: a repetition is no later arrival.
    newArrivals: async (path) => new Map((await newRequests(path)).toReversed()),
    turn: (path) => post({ kind: 'turn', path }),
    stop: async () => void (await worker.terminate()),
  };
}
