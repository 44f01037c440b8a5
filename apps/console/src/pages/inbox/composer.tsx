import { Alert, Button, Group, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState, type ReactElement } from 'react';
import type { Conversation } from '../../api/api.generated.js';
import { call } from '../../api/call.js';
import { problemOf, type Problem } from '../../api/problem.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { showMessage } from './inbox-data.js';
import classes from './inbox.module.css';

const TEXT_MAX = 4_096;

/** Answers a conversation. Sending the same text again after a failure sends it once: the key is kept until it went out. */
export function Composer({
  conversation,
  isOptedOut,
}: {
  readonly conversation: Conversation;
  readonly isOptedOut: boolean;
}): ReactElement {
  const client = useQueryClient();
  const [text, setText] = useState('');
  const attempt = useRef({ text: '', key: '' });
  const send = useMutation<void, Problem, string>({
    mutationFn: async (words) => {
      if (attempt.current.text !== words) attempt.current = { text: words, key: crypto.randomUUID() };
      const { contact, messagingChannelId } = conversation;
      try {
        const { id } = await call('sendMessage', {
          body: { to: contact.phone, text: words, messagingChannelId },
          headers: { 'idempotency-key': attempt.current.key },
        });
        showMessage(client, await call('getMessage', { path: { id } }));
      } catch (error) {
        throw problemOf(error);
      }
    },
    onSuccess: () => {
      attempt.current = { text: '', key: '' };
      setText('');
    },
    // A refusal is kept under its key: the next try is a new one.
    onError: ({ status }) => {
      if (status >= 400 && status < 500) attempt.current = { text: '', key: '' };
    },
  });
  if (conversation.contact.phone === '') {
    return (
      <div className={classes['composer']}>
        <Alert color="gray">This person has no number here: nothing can be sent.</Alert>
      </div>
    );
  }
  const words = text.trim();
  const submit = (): void => {
    if (words !== '' && !send.isPending) send.mutate(words);
  };
  return (
    <form
      className={classes['composer']}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {isOptedOut && (
        <Alert color="yellow" mb="xs">
          This person has opted out of this channel. Messages to them are refused until they opt in again.
        </Alert>
      )}
      {send.error && <ProblemAlert problem={send.error} title="The reply was not sent" />}
      <Group align="flex-end" gap="xs" wrap="nowrap" mt={send.error ? 'xs' : 0}>
        <Textarea
          aria-label="Reply"
          placeholder="Write a reply…"
          autosize
          minRows={1}
          maxRows={6}
          maxLength={TEXT_MAX}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            submit();
          }}
          style={{ flex: 1 }}
        />
        <Button type="submit" loading={send.isPending} disabled={words === '' || isOptedOut}>
          Send
        </Button>
      </Group>
    </form>
  );
}
