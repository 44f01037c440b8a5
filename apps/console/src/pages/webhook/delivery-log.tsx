import { Button, Group, Select, Text } from '@mantine/core';
import { IconListSearch } from '@tabler/icons-react';
import { useState, type ReactElement } from 'react';
import type { WebhookAttempt } from '../../api/api.generated.js';
import { useList } from '../../api/use-api.js';
import { DataTable, type Column } from '../../ui/data-table.js';
import { dayOf, startOfDay } from '../../ui/day.js';
import { DayRange } from '../../ui/day-range.js';
import { EmptyState } from '../../ui/empty-state.js';
import { readable } from '../../ui/foreign-text.js';
import { oneOf } from '../../ui/one-of.js';
import { ListView } from '../../ui/query-view.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { fullTime, Time } from '../../ui/time.js';
import { useAddress } from '../../ui/use-address.js';
import { eventTypes } from '../webhooks/event-types.js';
import { DeliveryDrawer } from './delivery-drawer.js';

const kinds: Readonly<Record<WebhookAttempt['kind'], string>> = {
  AUTOMATIC: 'Automatic',
  MANUAL: 'Re-delivery',
  REPLAY: 'Replay',
  TEST: 'Test',
};

const events = ['webhook.test', ...eventTypes.map(({ type }) => type)];
const outcomes = [
  { value: 'SUCCEEDED', label: 'Succeeded' },
  { value: 'FAILED', label: 'Failed' },
];

/** Every HTTP attempt of a webhook, newest first, with request and response one click away. */
export function DeliveryLog({
  webhookId,
  isActive,
}: {
  readonly webhookId: string;
  readonly isActive: boolean;
}): ReactElement {
  const [kept, keep] = useAddress(['event', 'outcome', 'from', 'to']);
  const event = oneOf(events, kept.event);
  const outcome = oneOf(
    outcomes.map(({ value }) => value),
    kept.outcome,
  );
  const days = { from: dayOf(kept.from), to: dayOf(kept.to) };
  const [opened, setOpened] = useState<string | null>(null);
  const query = {
    event: event ?? undefined,
    outcome: outcome ?? undefined,
    from: startOfDay(days.from)?.toISOString(),
    to: startOfDay(days.to, 1)?.toISOString(),
  };
  const list = useList('listWebhookAttempts', { path: { id: webhookId }, query } as never, { pollMs: 5_000 });
  const isFiltered = Object.values(query).some((value) => value !== undefined);
  const columns: readonly Column<WebhookAttempt>[] = [
    {
      title: 'Outcome',
      cell: ({ outcome: how, responseStatus, error }) => (
        <StatusBadge tone={how === 'SUCCEEDED' ? 'good' : 'bad'}>
          {responseStatus === null ? readable(error ?? 'no answer') : String(responseStatus)}
        </StatusBadge>
      ),
    },
    { title: 'Event', cell: (attempt) => <Text size="sm">{attempt.event}</Text> },
    {
      title: 'Attempt',
      cell: ({ attempt, kind }) => (
        <Text size="sm">
          {attempt} · {kinds[kind]}
        </Text>
      ),
    },
    { title: 'Took', align: 'right', cell: ({ durationMs }) => <Text size="sm">{durationMs} ms</Text> },
    {
      title: 'When',
      cell: ({ at }) => (
        <Text size="sm" component="div">
          <Time at={at} />
        </Text>
      ),
    },
    {
      title: 'Details',
      isTitleHidden: true,
      align: 'right',
      cell: ({ deliveryId, event: type, at }) => (
        <Button
          size="compact-xs"
          variant="subtle"
          onClick={() => setOpened(deliveryId)}
          aria-label={`Details of ${type}, ${fullTime(at)}`}
        >
          Details
        </Button>
      ),
    },
  ];
  return (
    <>
      <Group gap="sm">
        <Select
          size="xs"
          aria-label="Event"
          placeholder="All events"
          clearable
          value={event}
          onChange={(chosen) => keep({ event: chosen })}
          data={events}
        />
        <Select
          size="xs"
          aria-label="Outcome"
          placeholder="All outcomes"
          clearable
          value={outcome}
          onChange={(chosen) => keep({ outcome: chosen })}
          data={outcomes}
        />
        <DayRange {...days} isCompact onChange={({ from, to }) => keep({ from: from || null, to: to || null })} />
      </Group>
      <ListView
        list={list}
        empty={
          <EmptyState icon={IconListSearch} title={isFiltered ? 'Nothing fits these filters' : 'No delivery yet'}>
            {isFiltered
              ? 'Choose another event, outcome or day.'
              : 'Send a test event, or send a message: each attempt is listed here for 30 days.'}
          </EmptyState>
        }
      >
        {(items) => <DataTable label="Attempts" columns={columns} items={items} keyOf={({ id }) => id} />}
      </ListView>
      {opened !== null && (
        <DeliveryDrawer webhookId={webhookId} deliveryId={opened} isActive={isActive} onClose={() => setOpened(null)} />
      )}
    </>
  );
}
