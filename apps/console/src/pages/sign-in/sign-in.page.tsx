import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useState, type FormEvent, type ReactElement } from 'react';
import type { Problem } from '../../api/problem.js';
import { enter } from '../../api/session.js';
import { useChange } from '../../api/use-api.js';
import { CodeField, codeOf } from '../../ui/code-field.js';
import { EntryFrame } from '../../ui/entry-frame.js';
import { ProblemAlert } from '../../ui/problem-alert.js';

const CODE_REQUIRED = 'SECOND_FACTOR_REQUIRED';

/** Sign-in by email and password, and by a code where the person has a second factor. */
export function Page(): ReactElement {
  const { to } = useSearch({ from: '/sign-in' });
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState<string | null>(null);
  const signIn = useChange('signIn', { isQuiet: true, onDone: (session) => enter(session, to) });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const onError = (problem: Problem): void => {
      if (problem.code === CODE_REQUIRED) setCode('');
    };
    signIn.mutate({ body: { email, password, ...(code === null ? {} : { code: codeOf(code) }) } }, { onError });
  };
  return (
    <EntryFrame title="Sign in" description="Messages, webhooks and keys of your organization.">
      <form onSubmit={submit}>
        <Stack>
          {signIn.error && signIn.error.code !== CODE_REQUIRED && (
            <ProblemAlert title="Sign-in refused" problem={signIn.error} />
          )}
          <TextInput
            label="Email"
            type="email"
            name="email"
            autoComplete="username"
            required
            autoFocus
            value={email}
            onChange={(event) => {
              setEmail(event.currentTarget.value);
              // Another account may have no second factor.
              setCode(null);
            }}
          />
          <PasswordInput
            label="Password"
            name="password"
            autoComplete="current-password"
            required
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          {code !== null && (
            <>
              <Text size="sm" role="status">
                Your account has a second factor: give its code as well.
              </Text>
              <CodeField value={code} onChange={setCode} isFocused />
            </>
          )}
          <Button type="submit" size="md" loading={signIn.isPending} fullWidth>
            Sign in
          </Button>
        </Stack>
      </form>
    </EntryFrame>
  );
}
