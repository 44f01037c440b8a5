import { Alert, Text } from '@mantine/core';
import { useSyncExternalStore, type ReactElement } from 'react';
import { replyIn } from './reply.js';

/** What was written in a conversation that cannot be shown: to be copied. Nothing when there is no draft. */
export function UnsentDraft({ conversationId }: { readonly conversationId: string }): ReactElement | null {
  const reply = replyIn(conversationId);
  const { text, unsent } = useSyncExternalStore(reply.subscribe, reply.read);
  const draft = [unsent, text].filter((part) => part?.trim()).join('\n');
  if (draft === '') return null;
  return (
    <Alert color="blue" variant="light" title="Your reply was not sent yet">
      <Text size="sm" style={{ whiteSpace: 'pre-wrap' }}>
        {draft}
      </Text>
    </Alert>
  );
}
