import { Anchor, Button, Text } from '@mantine/core';
import { IconPlus, IconSend2 } from '@tabler/icons-react';
import { useRef, type ReactElement, type Ref } from 'react';
import type { Job, Template } from '../../api/api.generated.js';
import { useList, useRead } from '../../api/use-api.js';
import { DataTable, type Column } from '../../ui/data-table.js';
import { EmptyState } from '../../ui/empty-state.js';
import { LinkTo } from '../../ui/link-to.js';
import { PageFrame } from '../../ui/page.js';
import { ListView } from '../../ui/query-view.js';
import { Time } from '../../ui/time.js';
import { JobBar, JobStatus } from './job-status.js';
import { UnsentBulkSend } from './unsent-bulk-send.js';

/** Bulk sends, newest first, with their progress. */
export function Page(): ReactElement {
  const list = useList('listJobs', {}, { pollMs: 4_000 });
  const templates = useList('listTemplates', { query: { limit: 100 } });
  const newSend = useRef<HTMLAnchorElement>(null);
  const create = (ref?: Ref<HTMLAnchorElement>): ReactElement => (
    <Button component={LinkTo} ref={ref} to="/bulk-sends/new" leftSection={<IconPlus size={16} aria-hidden />}>
      New bulk send
    </Button>
  );
  const columns: readonly Column<Job>[] = [
    {
      title: 'Template',
      cell: ({ id, templateId }) => (
        <Anchor component={LinkTo} to={`/bulk-sends/${id}`} size="sm" fw={550}>
          <TemplateName
            id={templateId}
            listed={templates.items.find((one) => one.id === templateId)}
            isListRead={!templates.query.isPending}
          />
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
    <PageFrame
      title="Bulk sends"
      description="One approved template to many people, from a file."
      actions={create(newSend)}
    >
      <UnsentBulkSend next={newSend} />
      <ListView
        list={list}
        empty={
          <EmptyState icon={IconSend2} title="No bulk send yet" action={create()}>
            Bring a CSV file with phone numbers. You see three real messages and what they cost before anything is sent.
          </EmptyState>
        }
      >
        {(items) => <DataTable label="Bulk sends" columns={columns} items={items} keyOf={({ id }) => id} />}
      </ListView>
    </PageFrame>
  );
}

/** The name of a bulk send's template. One that is older than those listed is read for itself, once for all rows that name it. */
function TemplateName({
  id,
  listed,
  isListRead,
}: {
  readonly id: string;
  readonly listed: Template | undefined;
  readonly isListRead: boolean;
}): string {
  const { data, isError } = useRead('getTemplate', { path: { id } }, { enabled: isListRead && !listed });
  return listed?.name ?? data?.name ?? (isError ? 'a template' : '…');
}
