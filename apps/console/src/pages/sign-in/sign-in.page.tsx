import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useState, type FormEvent, type ReactElement } from 'react';
import { enter } from '../../api/session.js';
import { useChange } from '../../api/use-api.js';
import { EntryFrame } from '../../ui/entry-frame.js';
import { ProblemAlert } from '../../ui/problem-alert.js';

/** Sign-in by email and password. */
export function Page(): ReactElement {
  const { to } = useSearch({ from: '/sign-in' });
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const signIn = useChange('signIn', { isQuiet: true, onDone: (session) => enter(session, to) });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    signIn.mutate({ body: { email, password } });
  };
  return (
    <EntryFrame title="Sign in" description="Messages, webhooks and keys of your organization.">
      <form onSubmit={submit}>
        <Stack>
          {signIn.error && <ProblemAlert title="Sign-in refused" problem={signIn.error} />}
          <TextInput
            label="Email"
            type="email"
            name="email"
            autoComplete="username"
            required
            autoFocus
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <PasswordInput
            label="Password"
            name="password"
            autoComplete="current-password"
            required
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <Button type="submit" size="md" loading={signIn.isPending} fullWidth>
            Sign in
          </Button>
        </Stack>
      </form>
    </EntryFrame>
  );
}
