import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useState, type FormEvent, type ReactElement } from 'react';
import type { NewInvite } from '../../api/api.generated.js';
import { useSession, type Role } from '../../api/session.js';
import { useChange } from '../../api/use-api.js';
import { BusyButton } from '../../ui/busy-button.js';
import { Dialog } from '../../ui/dialog.js';
import { roleLabel } from '../../ui/labels.js';
import { ProblemAlert, type Doubt } from '../../ui/problem-alert.js';

const doubt: Doubt = {
  title: 'The invitation may have been made',
  advice: 'Its link cannot be shown any more. Asking again for the same email makes a new link in its place.',
};

/** The form for an invitation. */
export function InviteDialog({
  onClose,
  onInvited,
}: {
  readonly onClose: () => void;
  /** Called although the dialog was closed meanwhile: the invitation is made. */
  readonly onInvited: (invitation: NewInvite) => void;
}): ReactElement {
  const { role: own } = useSession();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('MEMBER');
  const invite = useChange('createInvite', {
    refreshes: ['listInvites', 'getPlan'],
    isQuiet: true,
    isShownOnce: true,
    onDone: onInvited,
  });
  const roles: readonly Role[] = own === 'OWNER' ? ['MEMBER', 'ADMIN', 'OWNER'] : ['MEMBER', 'ADMIN'];
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    invite.mutate({ body: { email, role } });
  };
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
            <BusyButton type="submit" loading={invite.isPending} disabled={email.trim() === ''}>
              Create link
            </BusyButton>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
