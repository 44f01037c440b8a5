import { afterEach, describe, expect, it } from '@jest/globals';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { changeAnswer, untilInvalidated } from './change-answer.js';

describe('an answer that is changed in part', () => {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const queryKey = ['anything'];
  const add = (): void => changeAnswer<number>(client, queryKey, (old = 0) => old + 1);

  afterEach(() => client.clear());

  it('is as old as before, and none is made', () => {
    add();
    expect(client.getQueryState(queryKey)).toBeUndefined();
    client.setQueryData(queryKey, 1, { updatedAt: 1_000 });
    add();
    expect(client.getQueryState(queryKey)).toMatchObject({ data: 2, dataUpdatedAt: 1_000 });
  });

  it('keeps what its last reading failed with', async () => {
    client.setQueryData(queryKey, 1);
    const error = new Error('refused');
    await client.fetchQuery({ queryKey, queryFn: () => Promise.reject(error) }).catch(() => undefined);
    add();
    expect(client.getQueryState(queryKey)).toMatchObject({ data: 2, error, status: 'error', isInvalidated: true });
  });

  it('is still to be read again, also where that was begun and given up', async () => {
    client.setQueryData(queryKey, 1);
    await client.invalidateQueries({ queryKey });
    let reads = 0;
    const queryFn = ({ signal }: { readonly signal: AbortSignal }) =>
      new Promise<number>((_resolve, reject) => {
        reads += 1;
        signal.addEventListener('abort', reject);
      });
    const observer = new QueryObserver(client, { queryKey, queryFn, staleTime: untilInvalidated });
    const end = observer.subscribe(() => undefined);
    add();
    end();
    observer.subscribe(() => undefined)();
    expect(reads).toBe(2);
  });
});
