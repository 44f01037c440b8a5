import { List, Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Contact } from '../../api/api.generated.js';
import { useChange } from '../../api/use-api.js';
import { ConfirmDialog } from '../../ui/confirm-dialog.js';
import { ForeignText } from '../../ui/foreign-text.js';

/** Asks before a contact is erased, and erases it. */
export function EraseDialog({
  contact,
  onErased,
  onClose,
}: {
  readonly contact: Contact;
  readonly onErased: () => void;
  readonly onClose: () => void;
}): ReactElement {
  const erase = useChange('eraseContact', {
    refreshes: ['listContacts', 'getContact', 'listOptOuts', 'listConversations', 'getConversation', 'listMessages'],
    done: 'The contact is erased; its texts are overwritten within a minute.',
    onDone: onErased,
    isQuiet: true,
  });
  const named = contact.name ?? (contact.phone === '' ? 'the contact without a name' : contact.phone);
  return (
    <ConfirmDialog
      isOpen
      title="Erase this contact?"
      act="Erase contact"
      isPending={erase.isPending}
      problem={erase.error}
      onConfirm={() => erase.mutate({ path: { id: contact.id } })}
      onClose={onClose}
    >
      <Stack gap="sm">
        <div>
          What is stored of <ForeignText fw={600}>{named}</ForeignText> is overwritten within a minute. It cannot be
          brought back.
        </div>
        <List size="sm" spacing={4}>
          <List.Item>Name, email, number and the texts of all messages go, in stored events too.</List.Item>
          <List.Item>Messages that are still to be sent fail; bulk sends skip the contact.</List.Item>
          <List.Item>Opt-outs keep holding for the number. Times, states and figures stay.</List.Item>
          <List.Item>A later message from or to the number begins a new contact.</List.Item>
        </List>
        <Text size="sm" c="dimmed">
          Erase your own copies as well: what webhooks and the event feed gave you before.
        </Text>
      </Stack>
    </ConfirmDialog>
  );
}
