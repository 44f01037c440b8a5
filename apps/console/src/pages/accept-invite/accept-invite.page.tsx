import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { IconMailOff } from '@tabler/icons-react';
import { useState, type FormEvent, type ReactElement } from 'react';
import { enter } from '../../api/session.js';
import { useChange } from '../../api/use-api.js';
import { EmptyState } from '../../ui/empty-state.js';
import { EntryFrame } from '../../ui/entry-frame.js';
import { ProblemAlert } from '../../ui/problem-alert.js';

/** Where the link of an invitation leads: its secret is behind the `#`, which browsers send to no server. */
export function Page(): ReactElement {
  const [token] = useState(() => location.hash.slice(1));
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const accept = useChange('acceptInvite', { isQuiet: true, onDone: (session) => enter(session, undefined) });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    accept.mutate({ body: { token, password, ...(name === '' ? {} : { name }) } });
  };
  if (token === '') {
    return (
      <EntryFrame title="Accept an invitation">
        <EmptyState icon={IconMailOff} title="The link is not complete">
          Open the whole link that you were sent, the part behind the # too.
        </EmptyState>
      </EntryFrame>
    );
  }
  return (
    <EntryFrame
      title="Accept the invitation"
      description="With an account here, give its password. Without one, choose a name and a password of at least 12 characters."
    >
      <form onSubmit={submit}>
        <Stack>
          {accept.error && <ProblemAlert title="The invitation was not accepted" problem={accept.error} />}
          <TextInput
            label="Your name"
            description="Only for a new account"
            autoComplete="name"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            required
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <Button type="submit" size="md" loading={accept.isPending} fullWidth>
            Join
          </Button>
        </Stack>
      </form>
    </EntryFrame>
  );
}
