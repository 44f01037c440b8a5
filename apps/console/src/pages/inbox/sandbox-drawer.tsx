import { Anchor, Divider, List, Select, SimpleGrid, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useState, type ReactElement } from 'react';
import type { Message } from '../../api/api.generated.js';
import { useChange, useRead, useWholeList } from '../../api/use-api.js';
import { BusyButton } from '../../ui/busy-button.js';
import { SideDialog } from '../../ui/dialog.js';

/** Where the inbox makes room for the drawer, as in `inbox.module.css`. */
const ROOMY = '(min-width: 75em)';

/** Plays the recipient in the local run: writes, reads, opts out and in. */
export function SandboxDrawer({
  isOpen,
  onClose,
  phone,
  newestSent,
}: {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** Of the conversation that is shown. */
  readonly phone: string | undefined;
  readonly newestSent: Message | undefined;
}): ReactElement | null {
  // The inbox stays usable next to it; where it covers the inbox instead, the Tab key does not lead below it.
  const isBeside = useMediaQuery(ROOMY, false, { getInitialValueInEffect: false });
  const sandbox = useRead('getSandbox', {}, { enabled: isOpen });
  const channels = useWholeList('listChannels', {}, { enabled: isOpen });
  const [from, setFrom] = useState('');
  const [text, setText] = useState('');
  const [channelId, setChannelId] = useState<string | null>(null);
  const inbound = useChange('playInbound', { done: 'The message is on its way', onDone: () => setText('') });
  const read = useChange('playRead', { done: 'The recipient has read the newest message' });
  const prefer = useChange('playPreference', { done: 'The provider reports the preference' });
  const who = from === '' ? (phone ?? '+14155550123') : from;
  const towards = { from: who, ...(channelId !== null && { messagingChannelId: channelId }) };
  if (!isOpen) return null;
  return (
    <SideDialog
      onClose={onClose}
      position="right"
      title="Sandbox"
      size="sm"
      withOverlay={!isBeside}
      trapFocus={!isBeside}
      lockScroll={!isBeside}
      closeOnClickOutside={!isBeside}
      shadow="md"
    >
      {/* Mantine says so of every drawer: screen readers would leave out the inbox. */}
      <Stack
        gap="sm"
        ref={(content) => content?.closest('[role=dialog]')?.setAttribute('aria-modal', String(!isBeside))}
      >
        <Text size="sm" c="dimmed">
          Play the person on the other side. Nothing leaves this machine: the provider is simulated.
        </Text>
        <TextInput label="Recipient" value={who} onChange={({ currentTarget }) => setFrom(currentTarget.value)} />
        <Select
          label="Channel"
          placeholder="The default one"
          clearable
          data={channels.items.map(({ id, name, phone: line }) => ({ value: id, label: `${name} ${line}` }))}
          value={channelId}
          onChange={setChannelId}
        />
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (text.trim() !== '') inbound.mutate({ body: { ...towards, text: text.trim() } });
          }}
        >
          <Textarea
            label="They write"
            placeholder="Where is my order?"
            autosize
            minRows={2}
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
          />
          <BusyButton type="submit" mt="xs" fullWidth loading={inbound.isPending} disabled={text.trim() === ''}>
            Write to us
          </BusyButton>
        </form>
        <Divider />
        <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="xs">
          <BusyButton
            variant="default"
            px={4}
            disabled={!newestSent}
            loading={read.isPending}
            onClick={() => newestSent && read.mutate({ body: { messageId: newestSent.id } })}
          >
            Read newest
          </BusyButton>
          <BusyButton
            variant="default"
            px={4}
            loading={prefer.isPending}
            onClick={() => prefer.mutate({ body: { ...towards, value: 'stop' } })}
          >
            Opt out
          </BusyButton>
          <BusyButton
            variant="default"
            px={4}
            loading={prefer.isPending}
            onClick={() => prefer.mutate({ body: { ...towards, value: 'resume' } })}
          >
            Opt in
          </BusyButton>
        </SimpleGrid>
        <Divider label="Recipients with a behaviour of their own" labelPosition="left" />
        <List size="xs" spacing={4}>
          {(sandbox.data?.recipients ?? []).map(({ phone: magic, effect }) => (
            <List.Item key={magic}>
              <Anchor component="button" type="button" size="xs" onClick={() => setFrom(magic)}>
                {magic}
              </Anchor>{' '}
              {effect}
            </List.Item>
          ))}
        </List>
      </Stack>
    </SideDialog>
  );
}
