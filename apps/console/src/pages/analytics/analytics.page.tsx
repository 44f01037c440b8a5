import { Button, Group, Menu, Paper, SegmentedControl, Select, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { IconChartLine, IconDownload } from '@tabler/icons-react';
import { useState, type ReactElement } from 'react';
import { request } from '../../api/call.js';
import { problemOf } from '../../api/problem.js';
import { useRead, useWholeList } from '../../api/use-api.js';
import { downloadCsv } from '../../ui/csv-file.js';
import { DayRange } from '../../ui/day-range.js';
import { EmptyState } from '../../ui/empty-state.js';
import { showProblem } from '../../ui/notices.js';
import { PageFrame } from '../../ui/page.js';
import { QueryView } from '../../ui/query-view.js';
import { SeriesChart } from '../../ui/series-chart.js';
import { useAddress } from '../../ui/use-address.js';
import { DeliveryFunnel } from './delivery-funnel.js';
import { FailureTable } from './failure-table.js';
import { TemplateTable } from './template-table.js';
import { initialRange, labelOf, rangeOf, zones, type Range } from './range.js';

/** More than 400: read once. */
const knownZones = zones();

/** Figures: messages over time, delivery, failures and templates, for a range, a zone and a channel. */
export function Page(): ReactElement {
  const [initial] = useState(() => initialRange(new Date()));
  const [kept, keep] = useAddress(['from', 'to', 'granularity', 'timezone', 'messagingChannelId']);
  const range = rangeOf(kept, initial, knownZones);
  const query = { ...range, messagingChannelId: range.messagingChannelId ?? undefined };
  const isPeriod = range.from <= range.to;
  return (
    <PageFrame title="Analytics" actions={isPeriod && <Export query={query} />}>
      <Filters range={range} onChange={keep} />
      {isPeriod ? (
        <Reports query={query} />
      ) : (
        <EmptyState icon={IconChartLine} title="The first day is after the last">
          Choose an earlier first day, or a later last one.
        </EmptyState>
      )}
    </PageFrame>
  );
}

function Reports({ query }: { readonly query: Readonly<Record<string, unknown>> }): ReactElement {
  const input = { query } as never;
  const usage = useRead('getUsage', input, { pollMs: 60_000 });
  const delivery = useRead('getDelivery', input, { pollMs: 60_000 });
  const templates = useRead('getTemplateUse', input, { pollMs: 60_000 });
  return (
    <>
      <Paper withBorder p="lg">
        <Text fw={600} mb="md">
          Messages over time
        </Text>
        <QueryView query={usage} skeleton={<Skeleton h={260} />}>
          {({ totals, series, granularity, timezone }) =>
            totals.messagesIn + totals.messagesOut === 0 ? (
              <EmptyState isFramed={false} icon={IconChartLine} title="No messages in this range">
                Choose a longer range, or send a message.
              </EmptyState>
            ) : (
              <SeriesChart
                label={`${totals.messagesOut} messages sent and ${totals.messagesIn} received`}
                kind="area"
                series={[
                  { name: 'messagesOut', label: 'Sent', color: 'indigo.6' },
                  { name: 'messagesIn', label: 'Received', color: 'teal.6' },
                ]}
                data={series.map(({ start, messagesIn, messagesOut }) => ({
                  start: labelOf(start, granularity, timezone),
                  messagesIn,
                  messagesOut,
                }))}
              />
            )
          }
        </QueryView>
      </Paper>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Paper withBorder p="lg">
          <Text fw={600} mb="md">
            Delivery
          </Text>
          <QueryView query={delivery}>{({ totals }) => <DeliveryFunnel figures={totals} />}</QueryView>
        </Paper>
        <Paper withBorder p="lg">
          <Text fw={600} mb="md">
            Failures by code
          </Text>
          <QueryView query={delivery}>{({ totals }) => <FailureTable failures={totals.failuresByCode} />}</QueryView>
        </Paper>
      </SimpleGrid>
      <Stack gap="sm">
        <Text fw={600}>Templates compared</Text>
        <QueryView query={templates}>{({ totals }) => <TemplateTable templates={totals.templates} />}</QueryView>
      </Stack>
    </>
  );
}

function Filters({
  range,
  onChange,
}: {
  readonly range: Range;
  readonly onChange: (range: Range) => void;
}): ReactElement {
  const channels = useWholeList('listChannels', {});
  return (
    <Group gap="sm" align="flex-end">
      <DayRange
        from={range.from}
        to={range.to}
        onChange={({ from, to }) => from !== '' && to !== '' && onChange({ ...range, from, to })}
      />
      <Select
        label="Time zone"
        w={170}
        searchable
        allowDeselect={false}
        value={range.timezone}
        data={knownZones}
        onChange={(timezone) => timezone && onChange({ ...range, timezone })}
      />
      <Select
        label="Channel"
        w={170}
        placeholder="All"
        clearable
        value={range.messagingChannelId}
        data={channels.items.map(({ id, name }) => ({ value: id, label: name }))}
        onChange={(messagingChannelId) => onChange({ ...range, messagingChannelId })}
      />
      <SegmentedControl
        aria-label="Granularity"
        value={range.granularity}
        data={[
          { value: 'day', label: 'Days' },
          { value: 'hour', label: 'Hours' },
        ]}
        onChange={(granularity) => onChange({ ...range, granularity: granularity === 'hour' ? 'hour' : 'day' })}
      />
    </Group>
  );
}

const reports = [
  { name: 'getUsage', label: 'Usage', file: 'usage.csv' },
  { name: 'getDelivery', label: 'Delivery', file: 'delivery.csv' },
  { name: 'getTemplateUse', label: 'Templates', file: 'templates.csv' },
] as const;

function Export({ query }: { readonly query: Readonly<Record<string, unknown>> }): ReactElement {
  const save = (name: (typeof reports)[number]['name'], file: string): void => {
    request(name, { query, headers: { accept: 'text/csv' } })
      .then(async (response) => downloadCsv(file, await response.text()))
      .catch((error: unknown) => showProblem(problemOf(error)));
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload size={16} aria-hidden />}>
          Export CSV
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {reports.map(({ name, label, file }) => (
          <Menu.Item key={name} onClick={() => save(name, file)}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
