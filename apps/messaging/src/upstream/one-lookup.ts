import { lookup as lookUp } from 'node:dns';
import type { LookupFunction } from 'node:net';

type Callback = Parameters<LookupFunction>[2];

/**
 * A look-up of which one is under way for each name: whoever asks meanwhile gets its answer.
 *
 * The system's resolver takes a thread of this process for as long as it waits for an answer, and of the four there only two take
 * look-ups. Connections to a provider whose name servers are silent ask again and again, and PostgreSQL and NATS, whose names are looked up
 * there as well, were not found behind hundreds of them.
 */
export function oneLookup(lookup: LookupFunction = lookUp): LookupFunction {
  const waiting = new Map<string, Callback[]>();
  return (hostname, options, callback) => {
    const key = JSON.stringify([hostname, options.family, options.hints, options.all, options.order]);
    const others = waiting.get(key);
    if (others) {
      others.push(callback);
      return;
    }
    const callbacks = [callback];
    waiting.set(key, callbacks);
    lookup(hostname, options, (...answer) => {
      waiting.delete(key);
      for (const one of callbacks) one(...answer);
    });
  };
}
