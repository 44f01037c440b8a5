import { Button, Group, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconAddressBook, IconPlus, IconSearch } from '@tabler/icons-react';
import { useState, type ReactElement } from 'react';
import type { Contact } from '../../api/api.generated.js';
import { useList } from '../../api/use-api.js';
import { DataTable } from '../../ui/data-table.js';
import { EmptyState } from '../../ui/empty-state.js';
import { ForeignText, readable } from '../../ui/foreign-text.js';
import { PageFrame } from '../../ui/page.js';
import { ListView } from '../../ui/query-view.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { Time } from '../../ui/time.js';
import { ContactDialog } from './contact-dialog.js';
import { OptOutsDialog } from './opt-outs-dialog.js';

/** The people written to: found by a part of name, number or address, edited, opted out. */
export function Page(): ReactElement {
  const [text, setText] = useState('');
  const [search] = useDebouncedValue(text.trim(), 200);
  const list = useList('listContacts', { query: search === '' ? {} : { search } });
  const [edited, setEdited] = useState<Contact | 'new' | null>(null);
  const [optedOut, setOptedOut] = useState<Contact | null>(null);
  const create = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setEdited('new')}>
      New contact
    </Button>
  );
  return (
    <PageFrame title="Contacts" description="Everybody who wrote to you or was written to." actions={create}>
      <TextInput
        aria-label="Search contacts"
        placeholder="Name, number or email"
        leftSection={<IconSearch size={16} aria-hidden />}
        value={text}
        maxLength={200}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        maw={360}
      />
      <ListView
        list={list}
        empty={
          <EmptyState
            icon={IconAddressBook}
            title={search === '' ? 'No contacts yet' : 'No contact fits'}
            action={search === '' ? create : undefined}
          >
            {search === ''
              ? 'A contact is made when somebody writes to you, when you send a message, or here.'
              : 'Try a part of the name, of the number or of the email address.'}
          </EmptyState>
        }
      >
        {(items) => (
          <DataTable
            label="Contacts"
            items={items}
            keyOf={({ id }) => id}
            minWidth={820}
            columns={[
              {
                title: 'Name',
                cell: ({ name }) =>
                  name === null ? (
                    <Text size="sm" c="dimmed">
                      Without a name
                    </Text>
                  ) : (
                    <ForeignText>{name}</ForeignText>
                  ),
              },
              { title: 'Number', cell: ({ phone }) => (phone === '' ? '—' : phone) },
              { title: 'Email', cell: ({ email }) => (email === null ? '—' : <ForeignText>{email}</ForeignText>) },
              { title: 'Consent', cell: (contact) => <Consent contact={contact} /> },
              { title: 'Since', cell: ({ createdAt }) => <Time at={createdAt} /> },
              {
                title: 'Actions',
                isTitleHidden: true,
                align: 'right',
                cell: (contact) => (
                  <Group gap="xs" justify="flex-end" wrap="nowrap">
                    <Button
                      size="xs"
                      variant="default"
                      aria-label={`Edit ${wordsFor(contact)}`}
                      onClick={() => setEdited(contact)}
                    >
                      Edit
                    </Button>
                    <Button
                      size="xs"
                      variant="default"
                      aria-label={`Opt-outs of ${wordsFor(contact)}`}
                      onClick={() => setOptedOut(contact)}
                    >
                      Opt-outs
                    </Button>
                  </Group>
                ),
              },
            ]}
          />
        )}
      </ListView>
      {edited !== null && <ContactDialog contact={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />}
      {optedOut !== null && <OptOutsDialog contact={optedOut} onClose={() => setOptedOut(null)} />}
    </PageFrame>
  );
}

/** Names the contact for screen readers, which read buttons outside of their rows too. */
function wordsFor({ name, phone, email }: Contact): string {
  return readable(name ?? (phone || (email ?? 'a contact without a name')));
}

function Consent({ contact: { isOptedOut, optedOutChannelIds } }: { readonly contact: Contact }): ReactElement {
  if (isOptedOut) return <StatusBadge tone="bad">Opted out</StatusBadge>;
  if (optedOutChannelIds.length > 0) return <StatusBadge tone="warning">Opted out of a channel</StatusBadge>;
  return <StatusBadge tone="quiet">May be written to</StatusBadge>;
}
