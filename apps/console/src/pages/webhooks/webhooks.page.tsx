import { Anchor, Button, Text } from '@mantine/core';
import { IconPlus, IconWebhook } from '@tabler/icons-react';
import { useRouter } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import type { Webhook } from '../../api/api.generated.js';
import { useList } from '../../api/use-api.js';
import { DataTable, type Column } from '../../ui/data-table.js';
import { EmptyState } from '../../ui/empty-state.js';
import { ForeignText } from '../../ui/foreign-text.js';
import { LinkTo } from '../../ui/link-to.js';
import { PageFrame } from '../../ui/page.js';
import { ListView } from '../../ui/query-view.js';
import { Time } from '../../ui/time.js';
import { WebhookAddress } from './webhook-address.js';
import { WebhookForm } from './webhook-form.js';
import { WebhookHealth } from './webhook-health.js';

/** Settings → Webhooks. */
export function Page(): ReactElement {
  const list = useList('listWebhooks', {});
  const router = useRouter();
  const [isCreating, setCreating] = useState(false);
  const create = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setCreating(true)}>
      Add webhook
    </Button>
  );
  return (
    <PageFrame
      title="Webhooks"
      description="Your systems hear of messages, conversations and opt-outs as they happen: each event is one signed HTTPS request."
      actions={create}
    >
      <ListView
        list={list}
        empty={
          <EmptyState icon={IconWebhook} title="No webhook yet" action={create}>
            Add the address of your system. Then send a test event and see its answer here. Without a public address,
            read the feed of events at <code>GET /v1/events</code>.
          </EmptyState>
        }
      >
        {(items) => <DataTable label="Webhooks" columns={columns} items={items} keyOf={({ id }) => id} />}
      </ListView>
      {isCreating && (
        <WebhookForm
          onClose={() => setCreating(false)}
          onCreated={({ id }) => void router.navigate({ to: `/settings/webhooks/${id}` as '/' })}
        />
      )}
    </PageFrame>
  );
}

const columns: readonly Column<Webhook>[] = [
  {
    title: 'Address',
    cell: ({ id, url, description }) => (
      <>
        <Anchor component={LinkTo} to={`/settings/webhooks/${id}`} size="sm" fw={550}>
          <WebhookAddress url={url} lines={2} />
        </Anchor>
        {description !== null && (
          <Text size="xs" c="dimmed" component="div">
            <ForeignText>{description}</ForeignText>
          </Text>
        )}
      </>
    ),
  },
  { title: 'Health', cell: (webhook) => <WebhookHealth webhook={webhook} /> },
  { title: 'Events', cell: ({ events }) => <Text size="sm">{events.length === 9 ? 'All' : events.length}</Text> },
  {
    title: 'Added',
    cell: ({ createdAt }) => (
      <Text size="sm" component="div">
        <Time at={createdAt} />
      </Text>
    ),
  },
];
