import { Button, Group, PasswordInput, Stack, TagsInput, TextInput } from '@mantine/core';
import { useState, type FormEvent, type ReactElement } from 'react';
import type { ManagedChannel } from '../../api/api.generated.js';
import { useChange } from '../../api/use-api.js';
import { BusyButton } from '../../ui/busy-button.js';
import { Dialog } from '../../ui/dialog.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { changesOf } from './channel-changes.js';

/** Changes a channel: a new token connects it again. */
export function ChannelSettings({
  channel,
  onClose,
}: {
  readonly channel: ManagedChannel;
  readonly onClose: () => void;
}): ReactElement {
  // As it was when the form was opened: a colleague may change it meanwhile.
  const [before] = useState(channel);
  const [token, setToken] = useState('');
  const [region, setRegion] = useState(channel.defaultRegion);
  const [keywords, setKeywords] = useState<string[]>([...channel.optOutKeywords]);
  const change = useChange('changeChannel', {
    refreshes: ['listChannels'],
    isQuiet: true,
    done: 'Saved.',
    onDone: onClose,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const changes = changesOf(before, { defaultRegion: region, optOutKeywords: keywords }, token);
    if (Object.keys(changes).length === 0) return onClose();
    change.mutate({ path: { id: before.id }, body: changes });
  };
  return (
    <Dialog onClose={onClose} title="Channel settings">
      <form onSubmit={submit}>
        <Stack>
          {change.error && <ProblemAlert title="Not saved" problem={change.error} />}
          <PasswordInput
            label="New access token"
            description="Leave it empty to keep the present one"
            autoComplete="off"
            value={token}
            onChange={(event) => setToken(event.currentTarget.value)}
          />
          <TextInput
            label="Region of national numbers"
            description="Two letters, such as DE"
            maxLength={2}
            value={region}
            onChange={(event) => setRegion(event.currentTarget.value)}
          />
          <TagsInput
            label="More opt-out keywords"
            description="In addition to STOP, UNSUBSCRIBE and the like. Press Enter after each."
            maxTags={50}
            value={keywords}
            onChange={setKeywords}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <BusyButton type="submit" loading={change.isPending}>
              Save
            </BusyButton>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
