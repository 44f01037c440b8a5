import { SimpleGrid, Skeleton, Paper, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useSession } from '../../api/session.js';
import { useRead } from '../../api/use-api.js';
import { ForeignText } from '../../ui/foreign-text.js';
import { PageFrame } from '../../ui/page.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { useReadProblem } from '../../ui/read-problem.js';
import { StaleNote } from '../../ui/stale-note.js';
import { initialRange } from '../analytics/range.js';
import { Attention } from './attention.js';
import { Checklist } from './checklist.js';

/** What to do first, the figures of the day, and what needs attention. */
export function Page(): ReactElement {
  const { organization, user } = useSession();
  return (
    <PageFrame
      title={<ForeignText>{organization.name}</ForeignText>}
      tabTitle="Home"
      description={`Signed in as ${user.email}.`}
    >
      <Attention />
      <Checklist />
      <Today />
    </PageFrame>
  );
}

function Today(): ReactElement | null {
  const { timezone, to } = initialRange(new Date());
  const input = { query: { from: to, to, timezone, granularity: 'day' as const } };
  const usage = useRead('getUsage', input, { pollMs: 30_000 });
  const delivery = useRead('getDelivery', input, { pollMs: 30_000 });
  const { problem, onRetry } = useReadProblem(usage, delivery);
  // A plan without figures: nothing to show, and nothing that needs doing.
  if (problem?.status === 402) return null;
  if (problem)
    return <ProblemAlert title="The figures of today could not be read" problem={problem} onRetry={onRetry} />;
  const figures = [
    { label: 'Sent today', value: usage.data?.totals.messagesOut },
    { label: 'Received today', value: usage.data?.totals.messagesIn },
    { label: 'Delivered', value: delivery.data?.totals.delivered },
    { label: 'Failed', value: delivery.data?.totals.failed },
  ];
  return (
    <section aria-label="Today">
      <Text fw={600} mb="sm">
        Today
      </Text>
      <StaleNote reads={[usage, delivery]} what="What was sent and received" />
      <SimpleGrid cols={{ base: 2, sm: 4 }}>
        {figures.map(({ label, value }) => (
          <Paper key={label} withBorder p="md">
            <Text size="xs" c="dimmed">
              {label}
            </Text>
            {value === undefined ? (
              <Skeleton h={28} w={60} mt={4} />
            ) : (
              <Text fw={650} fz={26}>
                {value.toLocaleString('en')}
              </Text>
            )}
          </Paper>
        ))}
      </SimpleGrid>
    </section>
  );
}
