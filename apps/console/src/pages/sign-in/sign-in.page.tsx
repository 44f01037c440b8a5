import { Alert, TextInput } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { enter } from '../../api/session.js';
import { useChange } from '../../api/use-api.js';
import { EntryFrame } from '../../ui/entry-frame.js';
import { SignInForm } from '../../ui/sign-in-form.js';

/** Sign-in by email and password, and by a code where the person has a second factor. */
export function Page(): ReactElement {
  const { to, ended } = useSearch({ from: '/sign-in' });
  const [email, setEmail] = useState('');
  const signIn = useChange('signIn', { isQuiet: true, onDone: (session) => enter(session, to) });
  return (
    <EntryFrame title="Sign in" description="Messages, webhooks and keys of your organization.">
      {ended && !signIn.error && (
        <Alert variant="light" role="status" mb="md">
          Your session has ended. Sign in to go on where you were.
        </Alert>
      )}
      <SignInForm
        account={email}
        act="Sign in"
        refusal="Sign-in refused"
        isPending={signIn.isPending}
        problem={signIn.error}
        onProof={(proof) => signIn.mutate({ body: { email, ...proof } })}
      >
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
            // It was about another account.
            signIn.reset();
          }}
        />
      </SignInForm>
    </EntryFrame>
  );
}
