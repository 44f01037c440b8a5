import { Alert, Badge, Button, Code, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { IconBulb, IconKey, IconPlus } from '@tabler/icons-react';
import { useState, type ReactElement } from 'react';
import type { ApiKey, NewApiKey } from '../../api/api.generated.js';
import { useWholeList } from '../../api/use-api.js';
import { DataTable, type Column } from '../../ui/data-table.js';
import { EmptyState } from '../../ui/empty-state.js';
import { ForeignText } from '../../ui/foreign-text.js';
import { PageFrame } from '../../ui/page.js';
import { ListView } from '../../ui/query-view.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { Time } from '../../ui/time.js';
import { CreateKeyDialog } from './create-key-dialog.js';
import { hintsFor, isOld } from './key-hints.js';
import { NewKeyDialog } from './new-key-dialog.js';
import { RevokeKey } from './revoke-key.js';

/** Settings → API keys. */
export function Page(): ReactElement {
  // The hints count every key, and the oldest are on the last page.
  const list = useWholeList('listApiKeys', {});
  const [shown, setShown] = useState<'ACTIVE' | 'REVOKED'>('ACTIVE');
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<NewApiKey | null>(null);
  const keys = list.items.filter(({ status }) => status === shown);
  const create = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setCreating(true)}>
      Create key
    </Button>
  );
  return (
    <PageFrame
      title="API keys"
      description="Your systems call the API with a key. Give each system its own, with no more scopes than it needs."
      actions={create}
    >
      <ListView
        list={list}
        empty={
          <EmptyState icon={IconKey} title="No key yet" action={create}>
            A key lets your systems send messages and read answers. It is shown once: keep it where you keep passwords.
          </EmptyState>
        }
      >
        {(all) => (
          <Stack gap="md">
            {hintsFor(all, new Date()).map((hint) => (
              <Alert key={hint} color="yellow" variant="light" icon={<IconBulb aria-hidden />}>
                {hint}
              </Alert>
            ))}
            <SegmentedControl
              size="xs"
              w="fit-content"
              aria-label="Which keys"
              value={shown}
              onChange={(value) => setShown(value === 'REVOKED' ? 'REVOKED' : 'ACTIVE')}
              data={[
                { value: 'ACTIVE', label: 'Active' },
                { value: 'REVOKED', label: 'Revoked' },
              ]}
            />
            {keys.length === 0 ? (
              <EmptyState icon={IconKey} title={shown === 'ACTIVE' ? 'No active key' : 'No revoked key'}>
                {shown === 'ACTIVE'
                  ? 'Create one for the next system that calls the API.'
                  : 'Keys that were revoked are listed here.'}
              </EmptyState>
            ) : (
              <DataTable label="API keys" columns={columns} items={keys} keyOf={({ id }) => id} minWidth={780} />
            )}
          </Stack>
        )}
      </ListView>
      {isCreating && (
        <CreateKeyDialog
          onClose={() => setCreating(false)}
          onCreated={(key) => {
            setCreating(false);
            setCreated(key);
          }}
        />
      )}
      {created && <NewKeyDialog apiKey={created} onClose={() => setCreated(null)} />}
    </PageFrame>
  );
}

const columns: readonly Column<ApiKey>[] = [
  {
    title: 'Label',
    cell: (key) => (
      <>
        <Text size="sm" fw={550} component="div">
          <ForeignText>{key.label}</ForeignText>
        </Text>
        <Code>{key.prefix}…</Code>
      </>
    ),
  },
  { title: 'Scopes', cell: ({ scopes }) => <Scopes scopes={scopes} /> },
  {
    title: 'Created',
    cell: ({ createdAt, createdBy }) => (
      <>
        <Text size="sm" component="div">
          <Group gap={6}>
            <Time at={createdAt} />
            {isOld(createdAt, new Date()) && <StatusBadge tone="warning">Over 12 months</StatusBadge>}
          </Group>
        </Text>
        <Text size="xs" c="dimmed" component="div">
          {createdBy ? <ForeignText>{createdBy.email}</ForeignText> : 'by the platform'}
        </Text>
      </>
    ),
  },
  {
    title: 'Last used',
    cell: ({ lastUsedAt, lastUsedAddress }) => (
      <>
        <Text size="sm" component="div">
          <Time at={lastUsedAt} />
        </Text>
        {lastUsedAddress !== null && (
          <Text size="xs" c="dimmed">
            from {lastUsedAddress}
          </Text>
        )}
      </>
    ),
  },
  {
    title: 'Actions',
    isTitleHidden: true,
    align: 'right',
    cell: (key) =>
      key.status === 'ACTIVE' ? (
        <RevokeKey apiKey={key} />
      ) : (
        <Text size="xs" c="dimmed" component="div">
          Revoked <Time at={key.revokedAt} />
        </Text>
      ),
  },
];

function Scopes({ scopes }: { readonly scopes: ApiKey['scopes'] }): ReactElement {
  if (scopes === null) return <Badge color="gray">All scopes</Badge>;
  return (
    <Group gap={4} maw={280}>
      {scopes.slice(0, 3).map((scope) => (
        <Badge key={scope} color="gray">
          {scope}
        </Badge>
      ))}
      {scopes.length > 3 && (
        <Badge color="gray" title={scopes.join(', ')}>
          +{scopes.length - 3}
        </Badge>
      )}
    </Group>
  );
}
