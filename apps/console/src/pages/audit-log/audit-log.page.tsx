import { Anchor, Button, Code, Group, Text } from '@mantine/core';
import { IconDownload, IconListDetails } from '@tabler/icons-react';
import { useState, type ReactElement } from 'react';
import type { AuditEntry } from '../../api/api.generated.js';
import { problemOf } from '../../api/problem.js';
import { useList } from '../../api/use-api.js';
import { BusyButton } from '../../ui/busy-button.js';
import { CopyIcon } from '../../ui/copyable.js';
import { DataTable, type Column } from '../../ui/data-table.js';
import { EmptyState } from '../../ui/empty-state.js';
import { ForeignText, readable } from '../../ui/foreign-text.js';
import { showDone, showProblem } from '../../ui/notices.js';
import { PageFrame } from '../../ui/page.js';
import { ListView } from '../../ui/query-view.js';
import { fullTime } from '../../ui/time.js';
import { wordsOf } from './action-words.js';
import { AuditChange } from './audit-change.js';
import { AuditFilters, everything, isFiltered, queryOf, useAuditFilter, type Actor } from './audit-filters.js';
import classes from './audit-log.module.css';
import { exportAuditLog } from './export-audit-log.js';

/** Settings → Audit log. */
export function Page(): ReactElement {
  const [filter, setFilter] = useAuditFilter();
  const [isExporting, setExporting] = useState(false);
  const query = queryOf(filter);
  const list = useList('listAuditLog', { query });
  const download = (): void => {
    setExporting(true);
    exportAuditLog(query)
      .then(
        (count) => showDone(`${count.toLocaleString('en')} ${count === 1 ? 'entry is' : 'entries are'} in the file.`),
        (error: unknown) => showProblem(problemOf(error)),
      )
      .finally(() => setExporting(false));
  };
  return (
    <PageFrame
      title="Audit log"
      description="Every security-relevant act: when, by whom, from where, and what it changed. Entries are chained, so that none can be altered unseen."
      actions={
        <BusyButton
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          loading={isExporting}
          onClick={download}
        >
          Export CSV
        </BusyButton>
      }
    >
      <AuditFilters filter={filter} onChange={setFilter} />
      <ListView
        list={list}
        empty={
          <EmptyState
            icon={IconListDetails}
            title={isFiltered(filter) ? 'No entry fits' : 'Nothing recorded yet'}
            action={
              isFiltered(filter) && (
                <Button variant="default" onClick={() => setFilter(everything)}>
                  Show every entry
                </Button>
              )
            }
          >
            {isFiltered(filter)
              ? 'Choose another action, person or period.'
              : 'Sign-ins, keys, webhooks and members show up here.'}
          </EmptyState>
        }
      >
        {(items) => (
          <DataTable
            label="Audit log"
            columns={columnsWith((actor) => setFilter({ ...filter, actor }))}
            items={items}
            keyOf={({ sequence }) => String(sequence)}
            minWidth={820}
          />
        )}
      </ListView>
    </PageFrame>
  );
}

const columnsWith = (onActor: (actor: Actor) => void): readonly Column<AuditEntry>[] => [
  {
    title: 'Time',
    cell: ({ at }) => (
      <Text size="sm" className={classes['when']}>
        {fullTime(at)}
      </Text>
    ),
  },
  {
    title: 'Action',
    cell: (entry) => (
      <>
        <Text size="sm" fw={550} title={entry.action}>
          {wordsOf(entry.action)}
        </Text>
        <AuditChange entry={entry} />
      </>
    ),
  },
  { title: 'By', cell: (entry) => <By entry={entry} onActor={onActor} /> },
  {
    title: 'Request',
    cell: ({ traceId, sequence, action }) =>
      traceId === null ? null : (
        <Group gap={2} wrap="nowrap">
          <Code>{traceId.slice(0, 8)}…</Code>
          <CopyIcon value={traceId} label={`Copy the request id of entry ${sequence}, ${wordsOf(action)}`} />
        </Group>
      ),
  },
];

/** The actor, whose other acts are one click away, and the address it acted from. */
function By({
  entry: { actor, address },
  onActor,
}: {
  readonly entry: AuditEntry;
  readonly onActor: (actor: Actor) => void;
}): ReactElement {
  const { id } = actor;
  const name = actorName(actor);
  return (
    <>
      {id === null ? (
        <Text size="sm">{name}</Text>
      ) : (
        <Anchor
          component="button"
          type="button"
          size="sm"
          ta="start"
          title="Show the acts of this one alone"
          aria-label={`Show acts of ${readable(name)} alone`}
          onClick={() => onActor({ id, name })}
        >
          <ForeignText>{name}</ForeignText>
        </Anchor>
      )}
      {address !== null && (
        <Text size="xs" c="dimmed">
          {address}
        </Text>
      )}
    </>
  );
}

/** The actor as people know it: an email address where there is one. */
function actorName({ email, type, id }: AuditEntry['actor']): string {
  if (email !== null) return email;
  if (type === 'system') return 'The platform';
  return [type === 'key' ? 'API key' : 'Operator', id].filter((part) => part !== null).join(' ');
}
