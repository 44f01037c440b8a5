import { Anchor, Group, Paper, Progress, Skeleton, Stack, Text, ThemeIcon } from '@mantine/core';
import { IconCheck, IconCircle } from '@tabler/icons-react';
import type { ReactElement, ReactNode } from 'react';
import { managing, useIsAllowed } from '../../api/session.js';
import { useList, useWholeList } from '../../api/use-api.js';
import { CodeBlock } from '../../ui/copyable.js';
import { LinkTo } from '../../ui/link-to.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { useReadProblem } from '../../ui/read-problem.js';

const POLL_MS = 5_000;

interface Step {
  readonly title: string;
  readonly isDone: boolean;
  /** How to, while it is not done. */
  readonly how: ReactNode;
}

/** The first steps, ticked off by what has really happened; gone once all are done. */
export function Checklist(): ReactElement | null {
  const isManaging = useIsAllowed(managing);
  const one = (direction: 'INBOUND' | 'OUTBOUND') => ({ query: { direction, limit: 1 } }) as never;
  const sent = useList('findMessages', one('OUTBOUND'), { pollMs: POLL_MS });
  const received = useList('findMessages', one('INBOUND'), { pollMs: POLL_MS });
  const channels = useWholeList('listChannels', {}, { enabled: isManaging, pollMs: POLL_MS });
  const keys = useList('listApiKeys', {}, { enabled: isManaging, pollMs: POLL_MS });
  const webhooks = useList('listWebhooks', {}, { enabled: isManaging, pollMs: POLL_MS });
  const reads = [sent.query, received.query, ...(isManaging ? [channels.query, keys.query, webhooks.query] : [])];
  const { problem, onRetry } = useReadProblem(...reads);
  if (problem) return <ProblemAlert title="The first steps could not be read" problem={problem} onRetry={onRetry} />;
  if (reads.some(({ isPending }) => isPending)) return <Skeleton h={220} radius="md" aria-busy aria-label="Loading" />;
  const request = `curl ${location.origin}/v1/messages \\\n  -H "Authorization: Bearer $KEY" \\\n  -H 'Content-Type: application/json' \\\n  -d '{"to":"+14155550123","text":"Hello"}'`;
  const steps: readonly Step[] = [
    ...(isManaging
      ? [
          {
            title: 'Connect a channel',
            isDone: channels.items.some(({ status }) => status === 'CONNECTED'),
            how: (
              <>
                <To to="/settings/channels">Connect a phone number</To> of the provider, from which messages are sent.
              </>
            ),
          },
          {
            title: 'Use an API key',
            isDone: keys.items.some(({ lastUsedAt }) => lastUsedAt !== null),
            how: (
              <>
                <To to="/settings/keys">Create a key</To> and make a first request with it.
              </>
            ),
          },
        ]
      : []),
    {
      title: 'Send a message',
      isDone: sent.items.length > 0,
      how: <CodeBlock code={request} label="A request that sends a message" />,
    },
    {
      title: 'Receive an answer',
      isDone: received.items.length > 0,
      how: 'Write to one of your channels from a phone; in the local run, from the sandbox.',
    },
    ...(isManaging
      ? [
          {
            title: 'Add a webhook',
            isDone: webhooks.items.length > 0,
            how: (
              <>
                <To to="/settings/webhooks">Register an address</To> that hears of every message.
              </>
            ),
          },
        ]
      : []),
  ];
  const done = steps.filter(({ isDone }) => isDone).length;
  if (done === steps.length) return null;
  return (
    <Paper withBorder p="lg" component="section" aria-label="First steps">
      <Group justify="space-between" mb="xs">
        <Text fw={600}>First steps</Text>
        <Text size="sm" c="dimmed">
          {done} of {steps.length} done
        </Text>
      </Group>
      <Progress
        value={(done / steps.length) * 100}
        size="sm"
        radius="xl"
        mb="lg"
        aria-label="Progress of the first steps"
      />
      <Stack gap="md">
        {steps.map((step) => (
          <StepView key={step.title} step={step} />
        ))}
      </Stack>
    </Paper>
  );
}

function StepView({ step: { title, isDone, how } }: { readonly step: Step }): ReactElement {
  return (
    <Group align="flex-start" wrap="nowrap" gap="sm">
      <ThemeIcon
        size={22}
        radius="xl"
        variant={isDone ? 'filled' : 'light'}
        color={isDone ? 'teal' : 'gray'}
        aria-hidden
      >
        {isDone ? <IconCheck size={14} /> : <IconCircle size={12} />}
      </ThemeIcon>
      <div style={{ flex: 1, minWidth: 0 }}>
        <Text size="sm" fw={550} c={isDone ? 'dimmed' : undefined} td={isDone ? 'line-through' : undefined}>
          {title}
          <span className="only-spoken">{isDone ? ' (done)' : ' (to do)'}</span>
        </Text>
        {!isDone && (
          <Text size="sm" c="dimmed" component="div" mt={4}>
            {how}
          </Text>
        )}
      </div>
    </Group>
  );
}

function To({ to, children }: { readonly to: string; readonly children: string }): ReactElement {
  return (
    <Anchor component={LinkTo} to={to} size="sm" underline="always">
      {children}
    </Anchor>
  );
}
