import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import type { Contact } from '../../api/api.generated.js';
import { useChange } from '../../api/use-api.js';
import { BusyButton } from '../../ui/busy-button.js';
import { Dialog } from '../../ui/dialog.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { changesOf, saveContact } from './contact-changes.js';
import { EraseDialog } from './erase-dialog.js';

/** Makes a contact, or changes the name and address of one, or erases it; an emptied field is cleared. */
export function ContactDialog({
  contact,
  onClose,
}: {
  /** Null: a new one. */
  readonly contact: Contact | null;
  readonly onClose: () => void;
}): ReactElement {
  // As it was when the form was opened: a colleague may change it meanwhile.
  const [before] = useState(contact);
  const [phone, setPhone] = useState(contact?.phone ?? '');
  const [name, setName] = useState(contact?.name ?? '');
  const [email, setEmail] = useState(contact?.email ?? '');
  const save = useChange('upsertContact', {
    refreshes: ['listContacts', 'getContact', 'listConversations', 'getConversation'],
    make: (input) => saveContact(before, input.body),
    done: 'The contact is saved',
    onDone: onClose,
    isQuiet: true,
  });
  // Known by the upstream's user id alone: it is found by its number when it is saved, and has none.
  const isWithoutNumber = contact?.phone === '';
  const [isErasing, setErasing] = useState(false);
  if (contact && isErasing) {
    return <EraseDialog contact={contact} onErased={onClose} onClose={() => setErasing(false)} />;
  }
  return (
    <Dialog onClose={onClose} title={contact ? 'Edit contact' : 'New contact'}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const changes = changesOf(before, { name, email });
          if (before && Object.keys(changes).length === 0) return onClose();
          save.mutate({ body: { phone: phone.trim(), ...changes } });
        }}
      >
        <Stack>
          <TextInput
            label="Number"
            description={numberHint(contact)}
            required={!isWithoutNumber}
            readOnly={contact !== null}
            data-autofocus={contact === null || undefined}
            value={phone}
            onChange={({ currentTarget }) => setPhone(currentTarget.value)}
          />
          <TextInput
            label="Name"
            readOnly={isWithoutNumber}
            value={name}
            maxLength={256}
            data-autofocus={contact !== null || undefined}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          <TextInput
            label="Email"
            type="email"
            readOnly={isWithoutNumber}
            value={email}
            maxLength={320}
            onChange={({ currentTarget }) => setEmail(currentTarget.value)}
          />
          {save.error && <ProblemAlert problem={save.error} />}
          <Group justify="flex-end">
            {contact && (
              <Button variant="subtle" color="red" mr="auto" onClick={() => setErasing(true)}>
                Erase
              </Button>
            )}
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <BusyButton type="submit" loading={save.isPending} disabled={isWithoutNumber}>
              Save
            </BusyButton>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

function numberHint(contact: Contact | null): string | undefined {
  if (!contact) return 'With the country code, such as +14155550123';
  return contact.phone === '' ? 'Not known: such a contact can be erased, not changed' : undefined;
}
