import { Badge, Group, Stack, Text } from '@mantine/core';
import { IconDeviceDesktop } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { OwnSession } from '../../api/api.generated.js';
import { useChange, useList } from '../../api/use-api.js';
import { BusyButton } from '../../ui/busy-button.js';
import { DataTable, type Column } from '../../ui/data-table.js';
import { EmptyState } from '../../ui/empty-state.js';
import { ForeignText, readable } from '../../ui/foreign-text.js';
import { ListView } from '../../ui/query-view.js';
import { fullTime, Time } from '../../ui/time.js';

/** One's own sessions, each of which can be ended. */
export function SessionList(): ReactElement {
  const list = useList('listOwnSessions', {});
  return (
    <Stack gap="sm" component="section" aria-label="Sessions">
      <Text fw={600}>Sessions</Text>
      <ListView
        list={list}
        empty={
          <EmptyState icon={IconDeviceDesktop} title="No session">
            Sign in again to see yours.
          </EmptyState>
        }
      >
        {(items) => (
          <DataTable label="Your sessions" columns={columns} items={items} keyOf={({ id }) => id} minWidth={440} />
        )}
      </ListView>
    </Stack>
  );
}

const columns: readonly Column<OwnSession>[] = [
  {
    title: 'Device',
    cell: ({ device, address, createdAt, isCurrent }) => (
      <>
        <Group gap="xs">
          <Text size="sm" fw={550} component="div" maw={420} lineClamp={1}>
            <ForeignText>{device ?? 'Unknown device'}</ForeignText>
          </Text>
          {isCurrent && <Badge color="indigo">This one</Badge>}
        </Group>
        <Text size="xs" c="dimmed">
          {since(address, createdAt)}
        </Text>
      </>
    ),
  },
  {
    title: 'Last used',
    cell: ({ lastUsedAt }) => (
      <Text size="sm" component="div">
        <Time at={lastUsedAt} />
      </Text>
    ),
  },
  {
    title: 'Actions',
    isTitleHidden: true,
    align: 'right',
    cell: (session) => (session.isCurrent ? null : <EndSession session={session} />),
  },
];

/** Where and when a session began: one device may have several. */
function since(address: string | null, createdAt: string): string {
  return `${address === null ? '' : `from ${address}, `}signed in ${fullTime(createdAt)}`;
}

function EndSession({ session }: { readonly session: OwnSession }): ReactElement {
  const end = useChange('endOwnSession', { refreshes: ['listOwnSessions'], done: 'The session has ended.' });
  return (
    <BusyButton
      size="xs"
      variant="subtle"
      color="red"
      loading={end.isPending}
      aria-label={`End the session on ${readable(session.device ?? 'an unknown device')} ${since(session.address, session.createdAt)}`}
      onClick={() => end.mutate({ path: { id: session.id } })}
    >
      End
    </BusyButton>
  );
}
