import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { MutationObserver, QueryClient, QueryObserver } from '@tanstack/react-query';
import { changeOf } from './change.js';
import { holdPage, isPageHeld } from './held-page.js';

const input = { body: { name: 'Server' } } as never;

describe('a change whose answer is shown this once', () => {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });

  afterEach(() => {
    client.clear();
  });

  /** Makes it, while nothing that it reads anew is ever answered. @returns once `onDone` was called and whoever waits for that went on */
  async function makeIt(onDone: () => void): Promise<void> {
    const reading = new QueryObserver(client, {
      queryKey: ['listApiKeys'],
      queryFn: () => new Promise(() => undefined),
    });
    const end = reading.subscribe(() => undefined);
    const isDone = Promise.withResolvers<void>();
    const change = changeOf(client, 'createApiKey', {
      make: async () => {
        expect(isPageHeld()).toBe(true);
        return {} as never;
      },
      refreshes: ['listApiKeys'],
      isShownOnce: true,
      onDone: () => {
        onDone();
        isDone.resolve();
      },
    });
    void new MutationObserver(client, change).mutate(input);
    await isDone.promise;
    await new Promise(setImmediate);
    end();
  }

  it('holds the page until it is shown, not until the page is read anew', async () => {
    await makeIt(() => expect(isPageHeld()).toBe(true));
    expect(isPageHeld()).toBe(false);
  });

  it('leaves what shows it to hold the page on', async () => {
    let release = jest.fn<() => void>() as () => void;
    await makeIt(() => {
      release = holdPage();
    });
    expect(isPageHeld()).toBe(true);
    release();
    expect(isPageHeld()).toBe(false);
  });

  it('holds the page no longer after a failure', async () => {
    const change = changeOf(client, 'createApiKey', {
      make: () => Promise.reject(new Error('refused')),
      isQuiet: true,
      isShownOnce: true,
    });
    await expect(new MutationObserver(client, change).mutate(input)).rejects.toThrow('refused');
    expect(isPageHeld()).toBe(false);
  });
});
