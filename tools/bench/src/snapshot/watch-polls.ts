import type { Database } from '@switchboard/postgres';

/** A statement as the relay asked it. */
export interface Poll {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** How long polls took that found nothing to mark. */
export class PollTimes {
  private found: number[] = [];
  private poll: Poll | undefined;
  private wanted: { readonly count: number; resolve(times: readonly number[]): void } | undefined;

  add(poll: Poll, ms: number): void {
    this.poll = poll;
    if (!this.wanted) return;
    this.found.push(ms);
    if (this.found.length < this.wanted.count) return;
    this.wanted.resolve(this.found);
    this.wanted = undefined;
  }

  /** Milliseconds of so many polls that begin from now on. */
  next(count: number): Promise<readonly number[]> {
    this.found = [];
    return new Promise((resolve) => (this.wanted = { count, resolve }));
  }

  last(): Poll {
    if (!this.poll) throw new Error('the relay has not polled');
    return this.poll;
  }
}

/** A database whose connections time the relay's polls. */
export function watchPolls(database: Database, times: PollTimes): Database {
  const connect: Database['connect'] = async () => {
    const client = await database.connect();
    const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
    client.query = ((...args: unknown[]) => {
      const [asked] = args as [{ name?: string } & Poll];
      const begunMs = performance.now();
      const answer = query(...args);
      if (asked.name !== 'outbox.pending') return answer;
      return answer.then((result) => (times.add(asked, performance.now() - begunMs), result));
    }) as typeof client.query;
    return client;
  };
  return new Proxy(database, {
    get: (target, key) => (key === 'connect' ? connect : Reflect.get(target, key, target)),
  });
}
