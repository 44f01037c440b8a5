import { describe, expect, it } from '@jest/globals';
import { queryClient } from './client.js';

describe('while the browser is offline', () => {
  it('changes and reads fail at once: none waits and is carried out later', () => {
    expect(queryClient.defaultMutationOptions({ mutationKey: ['any'] })).toMatchObject({
      networkMode: 'always',
      retry: false,
    });
    expect(queryClient.defaultQueryOptions({ queryKey: ['any'] })).toMatchObject({
      networkMode: 'always',
      refetchOnReconnect: true,
    });
  });
});
