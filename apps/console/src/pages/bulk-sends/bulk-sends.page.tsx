import { Anchor, Button, Text } from '@mantine/core';
import { IconPlus, IconSend2 } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { Job } from '../../api/api.generated.js';
import { useList } from '../../api/use-api.js';
import { DataTable, type Column } from '../../ui/data-table.js';
import { EmptyState } from '../../ui/empty-state.js';
import { LinkTo } from '../../ui/link-to.js';
import { PageFrame } from '../../ui/page.js';
import { ListView } from '../../ui/query-view.js';
import { Time } from '../../ui/time.js';
import { JobBar, JobStatus } from './job-status.js';

/** Bulk sends, newest first, with their progress. */
export function Page(): ReactElement {
  const list = useList('listJobs', {}, { pollMs: 4_000 });
  const templates = useList('listTemplates', { query: { limit: 100 } } as never);
  const nameOf = (id: string): string => templates.items.find((one) => one.id === id)?.name ?? 'a template';
  const create = (
    <Button component={LinkTo} to="/bulk-sends/new" leftSection={<IconPlus size={16} aria-hidden />}>
      New bulk send
    </Button>
  );
  const columns: readonly Column<Job>[] = [
    {
      title: 'Template',
      cell: ({ id, templateId }) => (
        <Anchor component={LinkTo} to={`/bulk-sends/${id}`} size="sm" fw={550}>
          {nameOf(templateId)}
        </Anchor>
      ),
    },
    { title: 'Status', cell: (job) => <JobStatus job={job} /> },
    { title: 'Progress', width: '34%', cell: (job) => <JobBar job={job} /> },
    {
      title: 'Started',
      cell: ({ createdAt, scheduledAt, startedAt }) => (
        <Text size="sm" component="div">
          <Time at={startedAt ?? scheduledAt ?? createdAt} />
        </Text>
      ),
    },
  ];
  return (
    <PageFrame title="Bulk sends" description="One approved template to many people, from a file." actions={create}>
      <ListView
        list={list}
        empty={
          <EmptyState icon={IconSend2} title="No bulk send yet" action={create}>
            Bring a CSV file with phone numbers. You see three real messages and what they cost before anything is sent.
          </EmptyState>
        }
      >
        {(items) => <DataTable label="Bulk sends" columns={columns} items={items} keyOf={({ id }) => id} />}
      </ListView>
    </PageFrame>
  );
}
