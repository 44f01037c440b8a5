import { Button, Code, Group, TextInput, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconDownload, IconListDetails } from '@tabler/icons-react';
import { useState, type ReactElement } from 'react';
import type { AuditEntry } from '../../api/api.generated.js';
import { problemOf } from '../../api/problem.js';
import { useList } from '../../api/use-api.js';
import { CopyIcon } from '../../ui/copyable.js';
import { DataTable, type Column } from '../../ui/data-table.js';
import { EmptyState } from '../../ui/empty-state.js';
import { ForeignText, readable } from '../../ui/foreign-text.js';
import { showDone, showProblem } from '../../ui/notices.js';
import { PageFrame } from '../../ui/page.js';
import { ListView } from '../../ui/query-view.js';
import { fullTime } from '../../ui/time.js';
import { exportAuditLog } from './export-audit-log.js';

/** Settings → Audit log. */
export function Page(): ReactElement {
  const [typed, setTyped] = useState('');
  const [action] = useDebouncedValue(typed.trim(), 300);
  const [isExporting, setExporting] = useState(false);
  const list = useList('listAuditLog', { query: { action: action === '' ? undefined : action } } as never);
  const download = (): void => {
    setExporting(true);
    exportAuditLog(action)
      .then(
        (count) => showDone(`${count} entries are in the file.`),
        (error: unknown) => showProblem(problemOf(error)),
      )
      .finally(() => setExporting(false));
  };
  return (
    <PageFrame
      title="Audit log"
      description="Every security-relevant act: when, by whom, from where, and what it changed. Entries are chained, so that none can be altered unseen."
      actions={
        <Button
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          loading={isExporting}
          onClick={download}
        >
          Export CSV
        </Button>
      }
    >
      <Group>
        <TextInput
          aria-label="Action"
          placeholder="Filter by action, such as api-key.created"
          w={{ base: '100%', xs: 340 }}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </Group>
      <ListView
        list={list}
        empty={
          <EmptyState
            icon={IconListDetails}
            title={action === '' ? 'Nothing recorded yet' : 'No entry with this action'}
          >
            {action === ''
              ? 'Sign-ins, keys, webhooks and members show up here.'
              : 'An action is matched whole: copy one from the list.'}
          </EmptyState>
        }
      >
        {(items) => (
          <DataTable
            label="Audit log"
            columns={columns}
            items={items}
            keyOf={({ sequence }) => String(sequence)}
            minWidth={820}
          />
        )}
      </ListView>
    </PageFrame>
  );
}

const columns: readonly Column<AuditEntry>[] = [
  { title: 'Time', width: '180px', cell: ({ at }) => <Text size="sm">{fullTime(at)}</Text> },
  {
    title: 'Action',
    cell: ({ action, before, after }) => (
      <>
        <Text size="sm" fw={550}>
          {action}
        </Text>
        <Change before={before} after={after} />
      </>
    ),
  },
  {
    title: 'By',
    cell: ({ actor, address }) => (
      <>
        <Text size="sm" component="div">
          <ForeignText>{actorName(actor)}</ForeignText>
        </Text>
        {address !== null && (
          <Text size="xs" c="dimmed">
            {address}
          </Text>
        )}
      </>
    ),
  },
  {
    title: 'Request',
    cell: ({ traceId }) =>
      traceId === null ? null : (
        <Group gap={2} wrap="nowrap">
          <Code>{traceId.slice(0, 8)}…</Code>
          <CopyIcon value={traceId} label="Copy the request id" />
        </Group>
      ),
  },
];

function Change({
  before,
  after,
}: {
  readonly before: AuditEntry['before'];
  readonly after: AuditEntry['after'];
}): ReactElement | null {
  if (!before && !after) return null;
  return (
    <Text size="xs" c="dimmed" component="div" maw={420} className="foreign-text">
      {before && <div>before {readable(JSON.stringify(before))}</div>}
      {after && (
        <div>
          {before ? 'after ' : ''}
          {readable(JSON.stringify(after))}
        </div>
      )}
    </Text>
  );
}

/** The actor as people know it: an email address where there is one. */
export function actorName(actor: AuditEntry['actor']): string {
  const { email, type, id } = actor as {
    readonly email?: string | null;
    readonly type?: string;
    readonly id?: string | null;
  };
  return email ?? [type, id].filter((part) => part !== undefined && part !== null).join(' ');
}
