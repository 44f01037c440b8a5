import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useState, type FormEvent, type ReactElement } from 'react';
import type { Problem } from '../../api/problem.js';
import { enter } from '../../api/session.js';
import { useChange } from '../../api/use-api.js';
import { CodeField, codeOf } from '../../ui/code-field.js';
import { ProblemAlert } from '../../ui/problem-alert.js';

const CODE_REQUIRED = 'SECOND_FACTOR_REQUIRED';

/** Accepts an invitation by the password of the account, and its code, or makes an account. */
export function JoinByPassword({ token }: { readonly token: string }): ReactElement {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState<string | null>(null);
  const accept = useChange('acceptInvite', { isQuiet: true, onDone: (session) => enter(session, undefined) });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const onError = (problem: Problem): void => {
      if (problem.code === CODE_REQUIRED) setCode('');
    };
    const proof = { password, ...(code === null ? {} : { code: codeOf(code) }) };
    accept.mutate({ body: { token, ...proof, ...(name === '' ? {} : { name }) } }, { onError });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {accept.error && accept.error.code !== CODE_REQUIRED && (
          <ProblemAlert title="The invitation was not accepted" problem={accept.error} />
        )}
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
        {code !== null && (
          <>
            <Text size="sm" role="status">
              Your account has a second factor: give its code as well.
            </Text>
            <CodeField value={code} onChange={setCode} isFocused />
          </>
        )}
        <Button type="submit" size="md" loading={accept.isPending} fullWidth>
          Join
        </Button>
      </Stack>
    </form>
  );
}
