import { Alert, Group, Paper, Progress, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { Plan } from '../../api/api.generated.js';
import { useRead } from '../../api/use-api.js';
import { PageFrame } from '../../ui/page.js';
import { QueryView } from '../../ui/query-view.js';
import { inPlainWords, StatusBadge, type Tone } from '../../ui/status-badge.js';

const tones: Readonly<Record<Plan['subscriptionStatus'], Tone>> = {
  ACTIVE: 'good',
  PAST_DUE: 'warning',
  CANCELED: 'bad',
};
const explanations: Readonly<Record<string, string>> = {
  PAST_DUE: 'A payment is due: sending is refused and bulk sends are held until it is settled. Everything else works.',
  CANCELED: 'The subscription has ended: the API refuses everything except ping and recording an opt-out.',
};

/** Settings → Plan and usage. */
export function Page(): ReactElement {
  const plan = useRead('getPlan', {}, { pollMs: 30_000 });
  return (
    <PageFrame title="Plan and usage" description="What your organization may use, and what it has used of it.">
      <QueryView query={plan} skeleton={<Skeleton h={320} radius="md" aria-busy aria-label="Loading" />}>
        {(found) => <PlanView plan={found} />}
      </QueryView>
    </PageFrame>
  );
}

function PlanView({ plan }: { readonly plan: Plan }): ReactElement {
  const { limits, usage, seatsTaken, subscriptionStatus } = plan;
  const explanation = explanations[subscriptionStatus];
  return (
    <Stack gap="lg">
      {explanation !== undefined && (
        <Alert color="yellow" variant="light" icon={<IconAlertTriangle aria-hidden />}>
          {explanation}
        </Alert>
      )}
      <Paper withBorder p="lg">
        <Group justify="space-between" mb="lg">
          <Group gap="sm">
            <Text fw={650} fz="lg">
              {inPlainWords(plan.plan)}
            </Text>
            <StatusBadge tone={tones[subscriptionStatus]}>{inPlainWords(subscriptionStatus)}</StatusBadge>
          </Group>
          <Text size="sm" c="dimmed">
            Your operator changes plans.
          </Text>
        </Group>
        <Stack gap="lg">
          {usage ? (
            <Meter
              label={`Messages in ${monthName(usage.month)}`}
              used={usage.messages}
              limit={limits.messagesPerMonth}
            />
          ) : (
            <Text size="sm" c="dimmed">
              The count of messages is not available right now.
            </Text>
          )}
          <Meter label="Seats, open invitations included" used={seatsTaken} limit={limits.seats} />
        </Stack>
      </Paper>
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <Figure label="Requests a minute" value={limits.requestsPerMinute} />
        <Figure label="Requests in a burst" value={limits.requestBurst} />
        <Figure label="Channels" value={limits.channels} />
      </SimpleGrid>
      {plan.excludedScopes.length > 0 && (
        <Text size="sm" c="dimmed">
          Not included: {plan.excludedScopes.join(', ')}.
        </Text>
      )}
    </Stack>
  );
}

function Meter({
  label,
  used,
  limit,
}: {
  readonly label: string;
  readonly used: number;
  readonly limit: number;
}): ReactElement {
  const percent = limit === 0 ? 100 : Math.min(100, (used / limit) * 100);
  const color = percent >= 100 ? 'red' : percent >= 80 ? 'yellow' : undefined;
  return (
    <div>
      <Group justify="space-between" mb={6}>
        <Text size="sm" fw={500}>
          {label}
        </Text>
        <Text size="sm" c="dimmed">
          {used.toLocaleString('en')} of {limit.toLocaleString('en')}
        </Text>
      </Group>
      <Progress value={percent} color={color} size="lg" radius="xl" aria-label={label} />
    </div>
  );
}

function Figure({ label, value }: { readonly label: string; readonly value: number }): ReactElement {
  return (
    <Paper withBorder p="md">
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text fw={650} fz="xl">
        {value.toLocaleString('en')}
      </Text>
    </Paper>
  );
}

/** @param month `YYYY-MM` */
function monthName(month: string): string {
  return new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${month}-01T00:00:00Z`),
  );
}
