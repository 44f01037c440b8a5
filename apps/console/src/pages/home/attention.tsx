import { Alert, Anchor, Stack } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { managing, useIsAllowed } from '../../api/session.js';
import { useList, useRead, useWholeList } from '../../api/use-api.js';
import { readable } from '../../ui/foreign-text.js';
import { LinkTo } from '../../ui/link-to.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { StaleNote } from '../../ui/stale-note.js';
import { useReadProblem } from '../../ui/read-problem.js';

const POLL_MS = 15_000;
const QUOTA_SHARE = 0.8;

/** What needs a person: deactivated webhooks, disconnected channels, a quota that runs out, bulk sends that are held. */
export function Attention(): ReactElement | null {
  const isManaging = useIsAllowed(managing);
  const webhooks = useList('listWebhooks', {}, { enabled: isManaging, pollMs: POLL_MS });
  const channels = useWholeList('listChannels', {}, { pollMs: POLL_MS });
  const jobs = useList('listJobs', { query: { limit: 100 } } as never, { pollMs: POLL_MS });
  const plan = useRead('getPlan', {}, { enabled: isManaging, pollMs: POLL_MS });
  const reads = [webhooks.query, channels.query, jobs.query, plan];
  const { problem, onRetry } = useReadProblem(...reads);
  const share = plan.data?.usage ? plan.data.usage.messages / plan.data.limits.messagesPerMonth : 0;
  const notices = [
    ...webhooks.items
      .filter(({ status }) => status === 'DEACTIVATED')
      .map(({ id, url }) => ({
        text: `A webhook is deactivated: ${readable(url)}`,
        to: `/settings/webhooks/${id}`,
        act: 'See why and re-enable it',
      })),
    ...channels.items
      .filter(({ status }) => status === 'DISCONNECTED')
      .map(({ name }) => ({
        text: `The channel ${readable(name)} is disconnected: sends by it are refused.`,
        to: isManaging ? '/settings/channels' : null,
        act: 'Reconnect it',
      })),
    ...(share >= QUOTA_SHARE
      ? [
          {
            text: `${Math.floor(share * 100)} % of this month’s messages are used.`,
            to: '/settings/plan',
            act: 'See the plan',
          },
        ]
      : []),
    ...jobs.items
      .filter(({ status }) => status === 'HELD')
      .map(({ id }) => ({ text: 'A bulk send is held.', to: `/bulk-sends/${id}`, act: 'See why' })),
  ];
  const isStale = reads.some(({ data, error }) => data !== undefined && error !== null);
  if (notices.length === 0 && !problem && !isStale) return null;
  return (
    <Stack gap="xs" component="section" aria-label="Needs attention">
      {problem && (
        <ProblemAlert title="What needs attention could not all be read" problem={problem} onRetry={onRetry} />
      )}
      <StaleNote reads={reads} what="What needs attention" />
      {notices.map(({ text, to, act }, index) => (
        <Alert key={index} color="yellow" variant="light" icon={<IconAlertTriangle aria-hidden />}>
          {text}{' '}
          {to !== null && (
            <Anchor component={LinkTo} to={to} size="sm" c="inherit" fw={550} underline="always">
              {act}
            </Anchor>
          )}
        </Alert>
      ))}
    </Stack>
  );
}
