import { Alert, Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore, type ReactElement } from 'react';
import type { Conversation } from '../../api/api.generated.js';
import type { Problem } from '../../api/problem.js';
import { BusyButton } from '../../ui/busy-button.js';
import { ForeignText } from '../../ui/foreign-text.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { showSent } from './inbox-data.js';
import classes from './inbox.module.css';
import { isInDoubt, replyIn, type ReplyTarget } from './reply.js';

const TEXT_MAX = 4_096;

/** Answers a conversation. */
export function Composer({
  conversation,
  isOptedOut,
}: {
  readonly conversation: Conversation;
  readonly isOptedOut: boolean;
}): ReactElement {
  const client = useQueryClient();
  const reply = replyIn(conversation.id);
  const { text, isSending, unsent, problem } = useSyncExternalStore(reply.subscribe, reply.read);
  if (conversation.contact.phone === '') {
    return (
      <div className={classes['composer']}>
        <Alert color="gray">This person has no number here: nothing can be sent.</Alert>
      </div>
    );
  }
  const target: ReplyTarget = {
    to: conversation.contact.phone,
    messagingChannelId: conversation.messagingChannelId,
  };
  const show = async (sent: Promise<string | null>): Promise<void> => {
    const id = await sent;
    if (id !== null) await showSent(client, id, conversation.id);
  };
  return (
    <form
      className={classes['composer']}
      onSubmit={(event) => {
        event.preventDefault();
        void show(reply.send(target));
      }}
    >
      {isOptedOut && (
        <Alert color="yellow" mb="xs">
          This person has opted out of this channel. Messages to them are refused until they opt in again.
        </Alert>
      )}
      {problem && (
        <FailedReply
          problem={problem}
          unsent={unsent}
          onRetry={() => void show(reply.sendUnsent(target))}
          onEdit={() => reply.editUnsent()}
        />
      )}
      <Group align="flex-end" gap="xs" wrap="nowrap" mt={problem ? 'xs' : 0}>
        <Textarea
          aria-label="Reply"
          placeholder="Write a reply…"
          autosize
          minRows={1}
          maxRows={6}
          maxLength={TEXT_MAX}
          value={text}
          onChange={({ currentTarget }) => reply.write(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            void show(reply.send(target));
          }}
          style={{ flex: 1 }}
        />
        <BusyButton type="submit" loading={isSending} disabled={text.trim() === '' || unsent !== null || isOptedOut}>
          Send
        </BusyButton>
      </Group>
    </form>
  );
}

/** Why a reply failed; its text where the field holds other text by now. */
function FailedReply({
  problem,
  unsent,
  onRetry,
  onEdit,
}: {
  readonly problem: Problem;
  readonly unsent: string | null;
  readonly onRetry: () => void;
  readonly onEdit: () => void;
}): ReactElement {
  const isDoubtful = isInDoubt(problem);
  return (
    <Stack gap={4}>
      <ProblemAlert
        problem={problem}
        title={isDoubtful ? 'The reply may not have been sent' : 'The reply was not sent'}
        onRetry={unsent === null ? undefined : onRetry}
      />
      {unsent !== null && (
        <Group gap="xs" wrap="nowrap" justify="space-between">
          <Text size="sm" component="div" lineClamp={2}>
            <ForeignText>{unsent}</ForeignText>
          </Text>
          <Button size="xs" variant="default" onClick={onEdit}>
            Edit
          </Button>
        </Group>
      )}
      {isDoubtful && (
        <Text size="xs" c="dimmed">
          Sending it again unchanged does not send it twice.
        </Text>
      )}
    </Stack>
  );
}
