import { Badge, Button, Group, Menu, Paper, Stack, Tabs, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconDots, IconHistory, IconPencil, IconTrash } from '@tabler/icons-react';
import { useRouter } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import type { Webhook } from '../../api/api.generated.js';
import { useChange, useRead } from '../../api/use-api.js';
import { ConfirmDialog } from '../../ui/confirm-dialog.js';
import { EmptyState } from '../../ui/empty-state.js';
import { ForeignText } from '../../ui/foreign-text.js';
import { oneOf } from '../../ui/one-of.js';
import { PageFrame } from '../../ui/page.js';
import { QueryView } from '../../ui/query-view.js';
import { StaleNote } from '../../ui/stale-note.js';
import { Time } from '../../ui/time.js';
import { useAddress } from '../../ui/use-address.js';
import { usePathId } from '../../ui/use-path-id.js';
import { WebhookAddress } from '../webhooks/webhook-address.js';
import { WebhookForm } from '../webhooks/webhook-form.js';
import { WebhookHealth } from '../webhooks/webhook-health.js';
import { Deactivated, Missed, WHY_DEACTIVATED } from './deactivation.js';
import { DeliveryLog } from './delivery-log.js';
import { ReplayDialog } from './replay-dialog.js';
import { SecretPanel } from './secret-panel.js';
import { TestPanel } from './test-panel.js';
import { VerificationPanel } from './verification-panel.js';

/** Their names in the address; the first needs none. */
const tabs = ['deliveries', 'settings', 'verify'] as const;

const list = { to: '/settings/webhooks', label: 'Webhooks' };

/** One webhook: its health, deliveries, secret, and code that verifies what it sends. */
export function Page(): ReactElement {
  const id = usePathId();
  // Another webhook begins anew: neither the answer nor the secret of the former one is shown for it.
  return <WebhookPage key={id} id={id} />;
}

function WebhookPage({ id }: { readonly id: string }): ReactElement {
  const webhook = useRead('getWebhook', { path: { id } }, { pollMs: 5_000 });
  const [isEditing, editing] = useDisclosure(false);
  if (!webhook.data) {
    return webhook.error?.status === 404 ? (
      <Gone />
    ) : (
      <PageFrame title="Webhook" back={list}>
        <QueryView query={webhook}>{() => null}</QueryView>
      </PageFrame>
    );
  }
  const note = <StaleNote reads={[webhook]} />;
  return (
    <>
      {webhook.error?.status === 404 ? (
        <Gone />
      ) : (
        <WebhookView webhook={webhook.data} note={note} onEdit={editing.open} />
      )}
      {/* Not in the view: what was typed stays when somebody else deletes the webhook meanwhile. */}
      {isEditing && <WebhookForm webhook={webhook.data} onClose={editing.close} />}
    </>
  );
}

/** Also when somebody else deletes it while its page is open. */
function Gone(): ReactElement {
  return (
    <PageFrame title="Webhook" back={list}>
      <EmptyState icon={IconTrash} title="This webhook is gone">
        It was deleted, or there never was one at this address.
      </EmptyState>
    </PageFrame>
  );
}

function WebhookView({
  webhook,
  note,
  onEdit,
}: {
  readonly webhook: Webhook;
  readonly note: ReactNode;
  readonly onEdit: () => void;
}): ReactElement {
  const [kept, keep] = useAddress(['tab']);
  const tab = oneOf(tabs, kept.tab) ?? tabs[0];
  return (
    <PageFrame
      title={<WebhookAddress url={webhook.url} lines={3} />}
      tabTitle="Webhook"
      description={webhook.description === null ? undefined : <ForeignText>{webhook.description}</ForeignText>}
      back={list}
      actions={<Acts webhook={webhook} onEdit={onEdit} />}
    >
      {note}
      <Group gap="xs">
        <WebhookHealth webhook={webhook} />
        <Text size="sm" c="dimmed" component="div">
          Added <Time at={webhook.createdAt} />
        </Text>
      </Group>
      {webhook.status === 'DEACTIVATED' ? <Deactivated webhook={webhook} /> : <Missed webhook={webhook} />}
      <Tabs value={tab} onChange={(chosen) => keep({ tab: chosen === tabs[0] ? null : chosen })} keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="deliveries">Deliveries</Tabs.Tab>
          <Tabs.Tab value="settings">Events and secret</Tabs.Tab>
          <Tabs.Tab value="verify">Verify signatures</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="deliveries">
          <Stack gap="lg">
            <TestPanel id={webhook.id} />
            <DeliveryLog webhookId={webhook.id} isActive={webhook.status === 'ACTIVE'} />
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="settings">
          <Stack gap="lg">
            <Paper withBorder p="lg">
              <Text fw={600} mb="sm">
                Events
              </Text>
              <Group gap={6}>
                {webhook.events.map((event) => (
                  <Badge key={event} color="gray">
                    {event}
                  </Badge>
                ))}
              </Group>
            </Paper>
            <SecretPanel id={webhook.id} />
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="verify">
          <VerificationPanel />
        </Tabs.Panel>
      </Tabs>
    </PageFrame>
  );
}

function Acts({ webhook, onEdit }: { readonly webhook: Webhook; readonly onEdit: () => void }): ReactElement {
  const router = useRouter();
  const isDeactivated = webhook.status === 'DEACTIVATED';
  const [isReplaying, replaying] = useDisclosure(false);
  const [isDeleting, deleting] = useDisclosure(false);
  const remove = useChange('deleteWebhook', {
    refreshes: ['listWebhooks'],
    done: 'The webhook is deleted.',
    isQuiet: true,
    onDone: () => void router.navigate({ to: '/settings/webhooks' as '/' }),
  });
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconHistory size={16} aria-hidden />}
        disabled={isDeactivated}
        aria-describedby={isDeactivated ? WHY_DEACTIVATED : undefined}
        onClick={replaying.open}
      >
        Replay
      </Button>
      <Button variant="default" leftSection={<IconPencil size={16} aria-hidden />} onClick={onEdit}>
        Edit
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" px="xs" aria-label="More acts">
            <IconDots size={16} aria-hidden />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item color="red" leftSection={<IconTrash size={15} aria-hidden />} onClick={deleting.open}>
            Delete webhook
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isReplaying && <ReplayDialog webhook={webhook} onClose={replaying.close} />}
      <ConfirmDialog
        isOpen={isDeleting}
        title="Delete this webhook?"
        act="Delete webhook"
        isPending={remove.isPending}
        problem={remove.error}
        onConfirm={() => remove.mutate({ path: { id: webhook.id } })}
        onClose={deleting.close}
      >
        Deliveries that wait are dropped, and its log and secret are gone.
      </ConfirmDialog>
    </>
  );
}
