import { afterEach, describe, expect, it } from '@jest/globals';
import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query';
import { readAgain, readOn } from './reading-on.js';

describe('reading a list on as its end is seen', () => {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  let refusals = 0;
  let reads: number[] = [];
  const observer = (): InfiniteQueryObserver<number> =>
    new InfiniteQueryObserver(client, {
      queryKey: ['list'],
      queryFn: ({ pageParam }) => {
        reads.push(pageParam);
        if (pageParam === 0 || refusals-- <= 0) return Promise.resolve(pageParam);
        return Promise.reject(new Error('refused'));
      },
      initialPageParam: 0,
      getNextPageParam: (page) => (page < 2 ? page + 1 : undefined),
    }) as unknown as InfiniteQueryObserver<number>;
  const idle = async (): Promise<void> => {
    for (let turns = 0; turns < 20; turns += 1) await new Promise(setImmediate);
  };

  afterEach(() => {
    client.clear();
    reads = [];
  });

  it('goes to its end', async () => {
    const end = observer().subscribe((result) => readOn(result));
    await idle();
    expect(reads).toEqual([0, 1, 2]);
    end();
  });

  it('does not repeat a failure by itself, and goes on once that is asked for', async () => {
    refusals = 1;
    const list = observer();
    const end = list.subscribe((result) => readOn(result));
    await idle();
    expect(reads).toEqual([0, 1]);
    readAgain(list.getCurrentResult());
    await idle();
    expect(reads).toEqual([0, 1, 1, 2]);
    end();
  });

  it('does not cancel another reading', async () => {
    const list = observer();
    const end = list.subscribe(() => undefined);
    await idle();
    void list.refetch();
    readOn(list.getCurrentResult());
    await idle();
    expect(reads).toEqual([0, 0]);
    end();
  });
});
