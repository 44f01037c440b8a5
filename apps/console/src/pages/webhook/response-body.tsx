import { Code, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { readable } from '../../ui/foreign-text.js';
import { mayBeCut } from './kept-response.js';

/** What a receiver answered, as text, and where no more of it is kept. */
export function ResponseBody({ body }: { readonly body: string | null }): ReactElement | null {
  if (body === null || body === '') return null;
  return (
    <>
      <Code block mt="xs">
        {readable(body)}
      </Code>
      {mayBeCut(body) && (
        <Text size="xs" mt={4}>
          Only the first 1 KB of a response is kept.
        </Text>
      )}
    </>
  );
}
