import { Alert, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useState, type FormEvent, type ReactElement } from 'react';
import { useSession, type Role } from '../../api/session.js';
import { useChange } from '../../api/use-api.js';
import { CopyLine } from '../../ui/copyable.js';
import { Dialog } from '../../ui/dialog.js';
import { roleLabel } from '../../ui/labels.js';
import { ProblemAlert, type Doubt } from '../../ui/problem-alert.js';

const doubt: Doubt = {
  title: 'The invitation may have been made',
  advice: 'Its link cannot be shown any more. Asking again for the same email makes a new link in its place.',
};

/** Makes an invitation and shows its link, this once. */
export function InviteDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const { role: own } = useSession();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('MEMBER');
  const invite = useChange('createInvite', { refreshes: ['listInvites', 'getPlan'], isQuiet: true });
  const roles: readonly Role[] = own === 'OWNER' ? ['MEMBER', 'ADMIN', 'OWNER'] : ['MEMBER', 'ADMIN'];
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    invite.mutate({ body: { email, role } });
  };
  if (invite.data) {
    return (
      <Dialog onClose={onClose} title="The invitation is ready" isShownOnce>
        <Stack>
          <Alert color="yellow" variant="light">
            Send this link to {invite.data.email} yourself: it is shown this once and is valid for seven days.
          </Alert>
          <CopyLine value={invite.data.link} label="Copy the link" />
          <Group justify="flex-end">
            <Button onClick={onClose}>Done</Button>
          </Group>
        </Stack>
      </Dialog>
    );
  }
  return (
    <Dialog onClose={onClose} title="Invite a person">
      <form onSubmit={submit}>
        <Stack>
          {invite.error && <ProblemAlert title="No invitation was made" doubt={doubt} problem={invite.error} />}
          <TextInput
            label="Email"
            type="email"
            required
            data-autofocus
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <Select
            label="Role"
            allowDeselect={false}
            value={role}
            data={roles.map((value) => ({ value, label: roleLabel(value) }))}
            onChange={(value) => setRole(roles.find((one) => one === value) ?? 'MEMBER')}
          />
          <Text size="xs" c="dimmed">
            You get a link to send. It takes a seat of the plan until it is accepted, revoked or expired.
          </Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={invite.isPending} disabled={email.trim() === ''}>
              Create link
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
