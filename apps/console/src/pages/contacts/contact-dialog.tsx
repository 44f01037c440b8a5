import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import type { Contact } from '../../api/api.generated.js';
import { useChange } from '../../api/use-api.js';
import { ProblemAlert } from '../../ui/problem-alert.js';

/** Makes a contact, or changes the name and address of one; an emptied field is cleared. */
export function ContactDialog({
  contact,
  onClose,
}: {
  /** Null: a new one. */
  readonly contact: Contact | null;
  readonly onClose: () => void;
}): ReactElement {
  const [phone, setPhone] = useState(contact?.phone ?? '');
  const [name, setName] = useState(contact?.name ?? '');
  const [email, setEmail] = useState(contact?.email ?? '');
  const save = useChange('upsertContact', {
    refreshes: ['listContacts', 'getContact', 'listConversations', 'getConversation'],
    done: 'The contact is saved',
    onDone: onClose,
    isQuiet: true,
  });
  const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());
  return (
    <Modal opened onClose={onClose} title={contact ? 'Edit contact' : 'New contact'}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate({ body: { phone: phone.trim(), name: orNull(name), email: orNull(email) } });
        }}
      >
        <Stack>
          <TextInput
            label="Number"
            description={contact ? undefined : 'With the country code, such as +14155550123'}
            required
            readOnly={contact !== null}
            value={phone}
            onChange={({ currentTarget }) => setPhone(currentTarget.value)}
          />
          <TextInput
            label="Name"
            value={name}
            maxLength={256}
            data-autofocus
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          <TextInput
            label="Email"
            type="email"
            value={email}
            maxLength={320}
            onChange={({ currentTarget }) => setEmail(currentTarget.value)}
          />
          {save.error && <ProblemAlert problem={save.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isPending}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
