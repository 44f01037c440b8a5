import { ActionIcon, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { useCallback, useMemo, useState, type ReactElement } from 'react';
import type { Message } from '../../api/api.generated.js';
import { useReadOn } from '../../api/reading-on.js';
import { useRead } from '../../api/use-api.js';
import { ForeignText } from '../../ui/foreign-text.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { inPlainWords, StatusBadge, type Tone } from '../../ui/status-badge.js';
import { Composer } from './composer.js';
import { nameOf, secondLineOf } from './conversation-list.js';
import { useThread, type Status } from './inbox-data.js';
import classes from './inbox.module.css';
import { MessageList } from './message-list.js';
import { ReadingProblem } from './reading-problem.js';
import { StatusActions } from './status-actions.js';
import { UnsentDraft } from './unsent-draft.js';
import { OpenTimelineProvider, TimelineDrawer } from './timeline-drawer.js';

/** The end of an opt-out is no event, and neither are most moves of a conversation. */
const POLL_MS = 10_000;

const tones: Readonly<Record<Status, Tone>> = {
  OPEN: 'busy',
  PENDING: 'warning',
  SNOOZED: 'quiet',
  CLOSED: 'good',
  ARCHIVED: 'quiet',
};

/** A conversation: who it is with, its messages, and what can be done. */
export function Thread({ id, onBack }: { readonly id: string; readonly onBack: () => void }): ReactElement {
  const conversation = useRead('getConversation', { path: { id } }, { pollMs: POLL_MS });
  const contactId = conversation.data?.id === id ? conversation.data.contact.id : undefined;
  const contact = useRead(
    'getContact',
    { path: { id: contactId ?? '' } },
    { enabled: contactId !== undefined, pollMs: POLL_MS },
  );
  const query = useThread(id);
  const [chosen, setChosen] = useState<Message>();
  const [isTimelineOpen, setTimelineOpen] = useState(false);
  const onOpenTimeline = useCallback((message: Message) => {
    setChosen(message);
    setTimelineOpen(true);
  }, []);
  const messages = useMemo(() => (query.data?.pages.flatMap((page) => page.items) ?? []).toReversed(), [query.data]);
  const onStart = useReadOn(query);
  const isRead = query.dataUpdatedAt > 0;
  // Behind what is shown, another failure than its end is passing: it is read again soon.
  const isShown = conversation.data?.id === id && conversation.error?.status !== 404;
  const problem = (isShown ? null : conversation.error) ?? (isRead ? null : query.error);
  if (problem) {
    return (
      <Stack>
        <ProblemAlert problem={problem} onRetry={() => void Promise.all([conversation.refetch(), query.refetch()])} />
        <UnsentDraft conversationId={id} />
      </Stack>
    );
  }
  if (conversation.data?.id !== id || !isRead) {
    return (
      <Stack p="md" aria-busy aria-label="Loading">
        <Skeleton h={36} />
        <Skeleton h={48} w="60%" />
        <Skeleton h={48} w="50%" ml="auto" />
      </Stack>
    );
  }
  const { status, messagingChannelId } = conversation.data;
  const known = contact.data?.id === contactId ? contact.data : undefined;
  const isOptedOut = known !== undefined && (known.isOptedOut || known.optedOutChannelIds.includes(messagingChannelId));
  return (
    <>
      <Group className={classes['bar']} justify="space-between" gap="xs">
        <Group gap="xs" wrap="nowrap" miw={0}>
          <ActionIcon
            variant="subtle"
            color="gray"
            onClick={onBack}
            aria-label="Back to the list"
            className={classes['backToList']}
          >
            <IconArrowLeft size={16} aria-hidden />
          </ActionIcon>
          <div style={{ minWidth: 0 }}>
            <Text fw={600} truncate component="h2" size="md">
              <ForeignText>{nameOf(conversation.data)}</ForeignText>
            </Text>
            <Text size="xs" c="dimmed">
              {secondLineOf(conversation.data)}
            </Text>
          </div>
          <StatusBadge tone={tones[status]}>{inPlainWords(status)}</StatusBadge>
          {isOptedOut && <StatusBadge tone="bad">Opted out</StatusBadge>}
        </Group>
        <StatusActions conversation={conversation.data} />
      </Group>
      <OpenTimelineProvider value={onOpenTimeline}>
        <MessageList key={id} messages={messages} isLoading={query.isFetchingNextPage} onStart={onStart} />
      </OpenTimelineProvider>
      <ReadingProblem query={query} what="Some messages could not be read" />
      <TimelineDrawer
        message={messages.find((message) => message.id === chosen?.id) ?? chosen}
        isOpen={isTimelineOpen}
        onClose={() => setTimelineOpen(false)}
      />
      <Composer key={`reply ${id}`} conversation={conversation.data} isOptedOut={isOptedOut} />
    </>
  );
}
