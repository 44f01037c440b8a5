import { Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import type { Contact } from '../../api/api.generated.js';
import { useChange, useWholeList } from '../../api/use-api.js';
import { BusyButton } from '../../ui/busy-button.js';
import { Dialog } from '../../ui/dialog.js';
import { ForeignText } from '../../ui/foreign-text.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { ListSkeleton } from '../../ui/query-view.js';
import { inPlainWords } from '../../ui/status-badge.js';
import { Time } from '../../ui/time.js';

const refreshes = ['listOptOuts', 'listContacts', 'getContact'] as const;

/** The opt-outs of a contact: what is in force, a new one, and the end of one. */
export function OptOutsDialog({
  contact,
  onClose,
}: {
  readonly contact: Contact;
  readonly onClose: () => void;
}): ReactElement {
  const { items, query } = useWholeList('listOptOuts', { query: { contactId: contact.id } });
  const channels = useWholeList('listChannels', {});
  const [channelId, setChannelId] = useState<string | null>(null);
  const [reason, setReason] = useState('');
  const create = useChange('createOptOut', {
    refreshes,
    done: 'Opted out: no later message passes',
    onDone: () => setReason(''),
    isQuiet: true,
  });
  const end = useChange('deleteOptOut', { refreshes, done: 'The opt-out has ended' });
  const nameOf = (id: string | null): string =>
    id === null ? 'All channels' : (channels.items.find((one) => one.id === id)?.name ?? 'A channel');
  return (
    <Dialog onClose={onClose} title="Opt-outs">
      <Stack>
        <Text size="sm" c="dimmed">
          Messages to <ForeignText>{contact.name ?? contact.phone}</ForeignText> are refused on these channels.
        </Text>
        {query.isPending && <ListSkeleton rows={2} />}
        {query.error && <ProblemAlert problem={query.error} onRetry={() => void query.refetch()} />}
        {!query.isPending && !query.error && items.length === 0 && <Text size="sm">No opt-out is in force.</Text>}
        {items.map((optOut) => (
          <Group key={optOut.id} justify="space-between" wrap="nowrap">
            <div>
              <Text size="sm" fw={550}>
                <ForeignText>{nameOf(optOut.messagingChannelId)}</ForeignText>
              </Text>
              <Text size="xs" c="dimmed" component="div">
                {inPlainWords(optOut.source)}, <Time at={optOut.createdAt} />
                {optOut.reason !== null && (
                  <>
                    {': '}
                    <ForeignText>{optOut.reason}</ForeignText>
                  </>
                )}
              </Text>
            </div>
            <BusyButton
              size="xs"
              variant="default"
              loading={end.isPending && end.variables?.path.id === optOut.id}
              onClick={() => end.mutate({ path: { id: optOut.id } })}
            >
              End
            </BusyButton>
          </Group>
        ))}
        <form
          onSubmit={(event) => {
            event.preventDefault();
            const why = reason.trim();
            create.mutate({
              body: {
                contactId: contact.id,
                ...(channelId !== null && { messagingChannelId: channelId }),
                ...(why !== '' && { reason: why }),
              },
            });
          }}
        >
          <Stack gap="xs">
            <Select
              label="Opt out of"
              placeholder="All channels"
              clearable
              data={channels.items.map(({ id, name }) => ({ value: id, label: name }))}
              value={channelId}
              onChange={setChannelId}
            />
            <TextInput
              label="Why"
              placeholder="Asked on the phone"
              maxLength={256}
              value={reason}
              onChange={({ currentTarget }) => setReason(currentTarget.value)}
            />
            {create.error && <ProblemAlert problem={create.error} />}
            <Group justify="flex-end">
              <BusyButton type="submit" color="red" variant="light" loading={create.isPending}>
                Opt out
              </BusyButton>
            </Group>
          </Stack>
        </form>
      </Stack>
    </Dialog>
  );
}
