import { Button, Checkbox, Group, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useState, type FormEvent, type ReactElement } from 'react';
import { useChange } from '../../api/use-api.js';
import { BusyButton } from '../../ui/busy-button.js';
import { Dialog } from '../../ui/dialog.js';
import { ProblemAlert } from '../../ui/problem-alert.js';

/** Connects a phone line; the provider is asked first. */
export function ConnectChannel({ onClose }: { readonly onClose: () => void }): ReactElement {
  const [phoneNumberId, setPhoneNumberId] = useState('');
  const [businessAccountId, setBusinessAccountId] = useState('');
  const [accessToken, setAccessToken] = useState('');
  const [isDefault, setDefault] = useState(false);
  const connect = useChange('connectChannel', {
    refreshes: ['listChannels'],
    isQuiet: true,
    done: 'The channel is connected.',
    onDone: onClose,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    connect.mutate({ body: { phoneNumberId, businessAccountId, accessToken, ...(isDefault ? { isDefault } : {}) } });
  };
  return (
    <Dialog onClose={onClose} title="Connect a channel">
      <form onSubmit={submit}>
        <Stack>
          {connect.error && <ProblemAlert title="Not connected" problem={connect.error} />}
          <TextInput
            label="Phone number id"
            description="Of the line, as the provider’s console shows it"
            required
            data-autofocus
            value={phoneNumberId}
            onChange={(event) => setPhoneNumberId(event.currentTarget.value)}
          />
          <TextInput
            label="Business account id"
            required
            value={businessAccountId}
            onChange={(event) => setBusinessAccountId(event.currentTarget.value)}
          />
          <PasswordInput
            label="Access token"
            description="Sealed when stored, and never shown again"
            required
            autoComplete="off"
            value={accessToken}
            onChange={(event) => setAccessToken(event.currentTarget.value)}
          />
          <Checkbox
            label="Use it for sends that name no channel"
            checked={isDefault}
            onChange={(event) => setDefault(event.currentTarget.checked)}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <BusyButton type="submit" loading={connect.isPending}>
              Connect
            </BusyButton>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
