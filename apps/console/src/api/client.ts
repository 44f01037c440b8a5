import { QueryClient } from '@tanstack/react-query';
import { problemOf } from './problem.js';

/** All answers that pages hold. A refusal is final; only failures are repeated, twice. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      retry: (failures, error) => {
        const { status } = problemOf(error);
        return failures < 2 && (status === 0 || status >= 500);
      },
    },
    mutations: { retry: false },
  },
});
