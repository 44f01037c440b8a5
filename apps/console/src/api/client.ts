import { QueryClient } from '@tanstack/react-query';
import { problemOf } from './problem.js';

/**
 * All answers that pages hold. A refusal is final; only failures of reads are repeated, twice.
 *
 * Nothing waits for the browser to call itself online: a change would be carried out later, when the person has long given it up, and
 * a page would show no reason why it stays empty. The browser is also offline where the console runs on the same machine.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode: 'always',
      // With this mode the default is not to.
      refetchOnReconnect: true,
      staleTime: 15_000,
      retry: (failures, error) => {
        const { status } = problemOf(error);
        return failures < 2 && (status === 0 || status >= 500);
      },
    },
    mutations: { networkMode: 'always', retry: false },
  },
});
