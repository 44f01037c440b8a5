import { Badge, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { IconPlugConnected, IconPlus } from '@tabler/icons-react';
import { useState, type ReactElement } from 'react';
import type { ManagedChannel } from '../../api/api.generated.js';
import { useChange, useList } from '../../api/use-api.js';
import { BusyButton } from '../../ui/busy-button.js';
import { ConfirmDialog } from '../../ui/confirm-dialog.js';
import { EmptyState } from '../../ui/empty-state.js';
import { ForeignText, readable } from '../../ui/foreign-text.js';
import { PageFrame } from '../../ui/page.js';
import { ListView } from '../../ui/query-view.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { channelWords } from '../bulk-sends/channel-choice.js';
import { ChannelSettings } from './channel-settings.js';
import { ConnectChannel } from './connect-channel.js';

/** Settings → Channels. */
export function Page(): ReactElement {
  const list = useList('listChannels', {}, { pollMs: 15_000 });
  const [isConnecting, setConnecting] = useState(false);
  const connect = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setConnecting(true)}>
      Connect channel
    </Button>
  );
  return (
    <PageFrame title="Channels" description="The phone lines that messages go out and come in by." actions={connect}>
      <ListView
        list={list}
        empty={
          <EmptyState icon={IconPlugConnected} title="No channel yet" action={connect}>
            Connect a phone line of your business account. Its id and access token are in the provider’s console.
          </EmptyState>
        }
      >
        {(items) => items.map((channel) => <ChannelCard key={channel.id} channel={channel} />)}
      </ListView>
      {isConnecting && <ConnectChannel onClose={() => setConnecting(false)} />}
    </PageFrame>
  );
}

function ChannelCard({ channel }: { readonly channel: ManagedChannel }): ReactElement {
  const [opened, setOpened] = useState<'settings' | 'disconnect' | null>(null);
  const refreshes = ['listChannels'] as const;
  const test = useChange('testChannel', { refreshes });
  const makeDefault = useChange('changeChannel', { refreshes, done: 'Sends without a channel use this one now.' });
  const disconnect = useChange('disconnectChannel', {
    refreshes,
    isQuiet: true,
    onDone: () => setOpened(null),
    done: 'The channel is disconnected.',
  });
  const path = { id: channel.id };
  // For screen readers, which read buttons outside of their place too.
  const words = readable(channelWords(channel));
  const isConnected = channel.status === 'CONNECTED';
  return (
    <Paper withBorder p="lg" component="section" aria-label={readable(channel.name)}>
      <Group justify="space-between" align="flex-start">
        <div style={{ flex: '1 1 280px' }}>
          <Group gap="xs">
            <Text fw={600} component="div">
              <ForeignText>{channel.name}</ForeignText>
            </Text>
            {channel.isDefault && <Badge color="gray">Default</Badge>}
            <StatusBadge tone={isConnected ? 'good' : 'bad'}>{isConnected ? 'Connected' : 'Disconnected'}</StatusBadge>
          </Group>
          <Text size="sm" mt={4}>
            {channel.phone}
          </Text>
          <Text size="xs" c="dimmed" mt={2}>
            line {channel.phoneNumberId} · account {channel.businessAccountId}
            {channel.defaultRegion ? ` · national numbers of ${channel.defaultRegion}` : ''}
          </Text>
        </div>
        <Group gap="xs">
          <BusyButton
            size="xs"
            variant="default"
            aria-label={`Test ${words}`}
            loading={test.isPending}
            onClick={() => test.mutate({ path })}
          >
            Test
          </BusyButton>
          <Button
            size="xs"
            variant="default"
            aria-label={isConnected ? `Settings of ${words}` : `Reconnect ${words}`}
            onClick={() => setOpened('settings')}
          >
            {isConnected ? 'Settings' : 'Reconnect'}
          </Button>
          {!channel.isDefault && (
            <BusyButton
              size="xs"
              variant="default"
              aria-label={`Make default: ${words}`}
              loading={makeDefault.isPending}
              onClick={() => makeDefault.mutate({ path, body: { isDefault: true } })}
            >
              Make default
            </BusyButton>
          )}
          {isConnected && (
            <Button
              size="xs"
              variant="subtle"
              color="red"
              aria-label={`Disconnect ${words}`}
              onClick={() => setOpened('disconnect')}
            >
              Disconnect
            </Button>
          )}
        </Group>
      </Group>
      {test.data && (
        <Text size="sm" mt="sm" role="status" c={test.data.connected ? 'teal' : 'red'}>
          {test.data.connected
            ? `The provider accepts the token; it answered in ${test.data.durationMs} ms.`
            : `${test.data.error?.code ?? ''}: ${readable(test.data.error?.message ?? 'no answer')}`}
        </Text>
      )}
      {!isConnected && (
        <Text size="sm" c="dimmed" mt="sm">
          Sends by this channel are refused. Reconnect it with a new access token.
        </Text>
      )}
      {opened === 'settings' && <ChannelSettings channel={channel} onClose={() => setOpened(null)} />}
      <ConfirmDialog
        isOpen={opened === 'disconnect'}
        title="Disconnect this channel?"
        act="Disconnect"
        isPending={disconnect.isPending}
        problem={disconnect.error}
        onConfirm={() => disconnect.mutate({ path })}
        onClose={() => setOpened(null)}
      >
        <Stack gap="xs">
          Later sends by it are refused and its access token is erased. Messages that were sent stay.
        </Stack>
      </ConfirmDialog>
    </Paper>
  );
}
