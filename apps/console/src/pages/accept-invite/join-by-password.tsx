import { TextInput } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { enter } from '../../api/session.js';
import { useChange } from '../../api/use-api.js';
import { SignInForm } from '../../ui/sign-in-form.js';

/** Accepts an invitation by the password of the account, and its code, or makes an account. */
export function JoinByPassword({ token }: { readonly token: string }): ReactElement {
  const [name, setName] = useState('');
  const accept = useChange('acceptInvite', { isQuiet: true, onDone: (session) => enter(session, undefined) });
  return (
    <SignInForm
      account={token}
      act="Join"
      refusal="The invitation was not accepted"
      isPending={accept.isPending}
      problem={accept.error}
      onProof={(proof) => accept.mutate({ body: { token, ...proof, ...(name === '' ? {} : { name }) } })}
    >
      <TextInput
        label="Your name"
        description="Only for a new account"
        autoComplete="name"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </SignInForm>
  );
}
