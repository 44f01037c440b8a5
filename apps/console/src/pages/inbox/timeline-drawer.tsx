import { Alert, Drawer, Group, Stack, Text } from '@mantine/core';
import { createContext, useContext, type ReactElement } from 'react';
import type { Message, MessageTimeline } from '../../api/api.generated.js';
import { useRead } from '../../api/use-api.js';
import { outcomeOf } from '../../ui/failure-words.js';
import { ForeignText } from '../../ui/foreign-text.js';
import { QueryView } from '../../ui/query-view.js';
import { inPlainWords, StatusBadge, type Tone } from '../../ui/status-badge.js';
import { fullTime } from '../../ui/time.js';
import classes from './inbox.module.css';

type Item = MessageTimeline['items'][number];

const POLL_MS = 3_000;
/** Times as the API writes them. */
const ISO_TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

const tones: Readonly<Record<Item['what'], Tone>> = {
  accepted: 'quiet',
  received: 'quiet',
  waiting: 'busy',
  'handed to the provider': 'quiet',
  'not handed to the provider': 'warning',
  refused: 'bad',
  'retry scheduled': 'busy',
  'outcome unknown': 'warning',
  sent: 'quiet',
  failed: 'bad',
  delivered: 'good',
  read: 'good',
  'webhook informed': 'good',
  'webhook not informed': 'warning',
  'webhook pending': 'busy',
  'webhooks not available': 'warning',
};

const OpenTimeline = createContext<(message: Message) => void>(() => undefined);
/** Lets the messages of a thread open the one drawer of it. */
export const OpenTimelineProvider = OpenTimeline.Provider;

/** Opens the timeline of a message. */
export function useOpenTimeline(): (message: Message) => void {
  return useContext(OpenTimeline);
}

/**
 * Every step of a message as it happens, and what to do when it failed. It stays in the page while it is closed, to give the
 * focus back.
 */
export function TimelineDrawer({
  message,
  isOpen,
  onClose,
}: {
  /** The message as the thread has it now; undefined before one was opened. */
  readonly message: Message | undefined;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}): ReactElement {
  return (
    <Drawer opened={isOpen} onClose={onClose} position="right" size="md" title="What happened to this message">
      {message && <Steps message={message} />}
    </Drawer>
  );
}

function Steps({ message }: { readonly message: Message }): ReactElement {
  const timeline = useRead('getMessageTimeline', { path: { id: message.id } }, { pollMs: POLL_MS });
  const failure = message.error && outcomeOf(message.error);
  return (
    <Stack gap="sm">
      {failure && (
        <Alert color="red" title={<ForeignText>{failure.what}</ForeignText>}>
          {failure.advice}
        </Alert>
      )}
      <QueryView query={timeline}>
        {({ items }) => (
          <ol className={classes['steps']} aria-label="Steps">
            {items.map((item, index) => (
              <Step key={`${index} ${item.at} ${item.what}`} item={item} />
            ))}
          </ol>
        )}
      </QueryView>
      {message.jobId !== null && <Text size="xs">Part of a bulk send</Text>}
      {message.clientReference !== null && (
        <Text size="xs">
          Reference <ForeignText>{message.clientReference}</ForeignText>
        </Text>
      )}
    </Stack>
  );
}

function Step({ item: { at, what, detail } }: { readonly item: Item }): ReactElement {
  return (
    <li>
      <Group gap="xs" justify="space-between">
        <StatusBadge tone={tones[what] ?? 'quiet'}>{inPlainWords(what)}</StatusBadge>
        <Text size="xs" c="dimmed" component="time" dateTime={at}>
          {fullTime(at)}
        </Text>
      </Group>
      <Text size="sm" mt={4}>
        {detail.replace(ISO_TIME, fullTime)}
      </Text>
    </li>
  );
}
