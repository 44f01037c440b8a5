import { Alert, Button, Group, Stack } from '@mantine/core';
import type { ReactElement } from 'react';
import type { NewInvite } from '../../api/api.generated.js';
import { CopyLine } from '../../ui/copyable.js';
import { Dialog } from '../../ui/dialog.js';

/** An invitation with its link, this once; only its button closes it. */
export function InvitationDialog({
  invitation: { email, link },
  onClose,
}: {
  readonly invitation: NewInvite;
  readonly onClose: () => void;
}): ReactElement {
  return (
    <Dialog onClose={onClose} title="The invitation is ready" isShownOnce>
      <Stack>
        <Alert color="yellow" variant="light">
          Send this link to {email} yourself: it is shown this once and is valid for seven days.
        </Alert>
        <CopyLine value={link} label="Copy the link" />
        <Group justify="flex-end">
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
