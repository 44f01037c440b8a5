import { Group, Text, UnstyledButton } from '@mantine/core';
import { IconInbox } from '@tabler/icons-react';
import { useEffect, type ReactElement } from 'react';
import type { Conversation } from '../../api/api.generated.js';
import { useReadOn } from '../../api/reading-on.js';
import { EmptyState } from '../../ui/empty-state.js';
import { ForeignText } from '../../ui/foreign-text.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { ListSkeleton } from '../../ui/query-view.js';
import { inPlainWords } from '../../ui/status-badge.js';
import { Time } from '../../ui/time.js';
import { VirtualList } from '../../ui/virtual-list.js';
import { useConversations, type Status } from './inbox-data.js';
import classes from './inbox.module.css';
import { ReadingProblem } from './reading-problem.js';

/** The name of the person in a conversation: what is known of them. */
export function nameOf({ contact }: Conversation): string {
  return contact.name ?? (contact.phone === '' ? 'Unknown number' : contact.phone);
}

/** The line below it: the number, unless that stands above. */
export function secondLineOf({ contact }: Conversation): string {
  return contact.name === null ? 'No name yet' : contact.phone;
}

/** The conversations of a status, and what reading them failed with. */
export function ConversationList({
  status,
  chosen,
  onChoose,
}: {
  readonly status: Status;
  readonly chosen: string | undefined;
  readonly onChoose: (id: string) => void;
}): ReactElement {
  const query = useConversations(status);
  if (query.isPending) return <ListSkeleton rows={7} />;
  if (query.error && !query.data) {
    return <ProblemAlert problem={query.error} onRetry={() => void query.refetch()} />;
  }
  return (
    <>
      <ReadingProblem query={query} what="Some conversations could not be read" />
      <Rows query={query} status={status} chosen={chosen} onChoose={onChoose} />
    </>
  );
}

/** All that was read has left the list. */
function ReadOn({ onEnd }: { readonly onEnd: () => void }): ReactElement {
  useEffect(() => onEnd(), [onEnd]);
  return <ListSkeleton rows={7} />;
}

/** Only those that are seen are in the page. */
function Rows({
  query,
  status,
  chosen,
  onChoose,
}: {
  readonly query: ReturnType<typeof useConversations>;
  readonly status: Status;
  readonly chosen: string | undefined;
  readonly onChoose: (id: string) => void;
}): ReactElement | null {
  const onEnd = useReadOn(query);
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  // What is missing of it is said above, or still to be read.
  if (items.length === 0 && query.error) return null;
  if (items.length === 0 && query.hasNextPage) return <ReadOn onEnd={onEnd} />;
  if (items.length === 0) {
    return (
      <EmptyState isFramed={false} icon={IconInbox} title={`Nothing is ${inPlainWords(status).toLowerCase()}`}>
        {status === 'OPEN'
          ? 'When somebody writes to one of your channels, the conversation appears here.'
          : 'Conversations that you move here appear in this list.'}
      </EmptyState>
    );
  }
  return (
    <VirtualList
      label="Conversations"
      items={items}
      keyOf={({ id }) => id}
      rowHeightPx={64}
      style={{ flex: 1, minHeight: 0 }}
      onEnd={onEnd}
    >
      {(conversation) => (
        <UnstyledButton
          className={classes['row']}
          aria-current={conversation.id === chosen ? 'true' : undefined}
          onClick={() => onChoose(conversation.id)}
        >
          <Group justify="space-between" wrap="nowrap" gap="xs">
            <Text size="sm" fw={550} truncate>
              <ForeignText>{nameOf(conversation)}</ForeignText>
            </Text>
            <Text size="xs" c="dimmed" className={classes['when']}>
              <Time at={conversation.lastMessageAt ?? conversation.createdAt} />
            </Text>
          </Group>
          <Text size="xs" c="dimmed" truncate>
            {secondLineOf(conversation)}
            {conversation.snoozedUntil !== null && (
              <>
                {' · until '}
                <Time at={conversation.snoozedUntil} />
              </>
            )}
          </Text>
        </UnstyledButton>
      )}
    </VirtualList>
  );
}
