import { Group, Select, Text } from '@mantine/core';
import { IconDownload, IconUsers } from '@tabler/icons-react';
import { useState, type ReactElement } from 'react';
import type { Job, Recipient } from '../../api/api.generated.js';
import { problemOf } from '../../api/problem.js';
import { readEvery } from '../../api/read-every.js';
import { useList } from '../../api/use-api.js';
import { BusyButton } from '../../ui/busy-button.js';
import { downloadCsv, toCsv } from '../../ui/csv-file.js';
import { DataTable, type Column } from '../../ui/data-table.js';
import { EmptyState } from '../../ui/empty-state.js';
import { meaningOf } from '../../ui/failure-words.js';
import { showProblem } from '../../ui/notices.js';
import { oneOf } from '../../ui/one-of.js';
import { ListView } from '../../ui/query-view.js';
import { inPlainWords, StatusBadge, type Tone } from '../../ui/status-badge.js';
import { useAddress } from '../../ui/use-address.js';

const tones: Readonly<Record<Recipient['status'], Tone>> = {
  QUEUED: 'quiet',
  UNCONFIRMED: 'warning',
  SENT: 'busy',
  DELIVERED: 'good',
  READ: 'good',
  FAILED: 'bad',
  SKIPPED: 'quiet',
};

const statuses = Object.keys(tones) as readonly Recipient['status'][];

const reasons: Readonly<Record<string, string>> = {
  DUPLICATE: 'The same person is in the file before',
  OPTED_OUT: 'Opted out',
  JOB_CANCELED: 'The bulk send was canceled',
  ERASED: 'The contact was erased',
  UPSTREAM_OUTCOME_UNKNOWN: 'The provider never said what became of it',
};

/** The recipients of a bulk send, in the order of the file. */
export function RecipientList({ job }: { readonly job: Job }): ReactElement {
  const [kept, keep] = useAddress(['status']);
  const status = oneOf(statuses, kept.status);
  const [isExporting, setExporting] = useState(false);
  const isOver = job.status === 'COMPLETED' || job.status === 'CANCELED';
  const query = { status: status ?? undefined };
  const list = useList('listRecipients', { path: { id: job.id }, query } as never, { pollMs: isOver ? 15_000 : 4_000 });
  const save = (): void => {
    setExporting(true);
    exportRecipients(job.id, status)
      .catch((error: unknown) => showProblem(problemOf(error)))
      .finally(() => setExporting(false));
  };
  return (
    <>
      <Group justify="space-between">
        <Select
          aria-label="Status of recipients"
          placeholder="Every recipient"
          clearable
          value={status}
          onChange={(chosen) => keep({ status: chosen })}
          data={statuses.map((value) => ({ value, label: inPlainWords(value) }))}
        />
        <BusyButton
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          loading={isExporting}
          onClick={save}
        >
          Export CSV
        </BusyButton>
      </Group>
      <ListView
        list={list}
        empty={
          <EmptyState icon={IconUsers} title="No recipient with this status">
            Choose another one.
          </EmptyState>
        }
      >
        {(items) => (
          <DataTable label="Recipients" columns={columns} items={items} keyOf={({ index }) => String(index)} />
        )}
      </ListView>
    </>
  );
}

const columns: readonly Column<Recipient>[] = [
  { title: 'No.', width: '80px', cell: ({ index }) => <Text size="sm">{index + 1}</Text> },
  { title: 'Phone', cell: ({ to }) => <Text size="sm">{to}</Text> },
  { title: 'Status', cell: ({ status }) => <StatusBadge tone={tones[status]}>{inPlainWords(status)}</StatusBadge> },
  {
    title: 'Reason',
    cell: ({ reason }) => (
      <Text size="sm" c="dimmed">
        {reason === null ? '' : (reasons[reason] ?? `${reason}: ${meaningOf(reason)}`)}
      </Text>
    ),
  },
];

async function exportRecipients(id: string, status: string | null): Promise<void> {
  const recipients = await readEvery('listRecipients', {
    path: { id },
    query: { status: status ?? undefined },
  } as never);
  const rows = recipients.map((one) => [
    String(one.index + 1),
    one.to,
    one.status,
    one.reason ?? '',
    one.messageId ?? '',
  ]);
  downloadCsv(`recipients-${id}.csv`, toCsv([['number', 'to', 'status', 'reason', 'messageId'], ...rows]));
}
