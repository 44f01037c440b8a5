import { PasswordInput, Stack, Text } from '@mantine/core';
import { useState, type FormEvent, type ReactElement, type ReactNode } from 'react';
import type { Problem } from '../api/problem.js';
import { BusyButton } from './busy-button.js';
import { CodeField, codeOf } from './code-field.js';
import { ProblemAlert } from './problem-alert.js';

const CODE_REQUIRED = 'SECOND_FACTOR_REQUIRED';

/** What a person proves an account by. */
export interface SignInProof {
  readonly password: string;
  readonly code?: string;
}

/** A form that begins a session: fields of its own, the password, and a code once the API asks for one. */
export function SignInForm({
  account,
  act,
  refusal,
  isPending,
  problem,
  onProof,
  children,
}: {
  /** Whose password it is; another account may have no second factor. */
  readonly account: string;
  /** The button's words: a verb. */
  readonly act: string;
  /** The title of a refusal. */
  readonly refusal: string;
  readonly isPending: boolean;
  readonly problem: Problem | null;
  readonly onProof: (proof: SignInProof) => void;
  readonly children: ReactNode;
}): ReactElement {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [asked, setAsked] = useState<string | null>(null);
  // Kept: the problem goes with the next try, the field must not.
  if (problem?.code === CODE_REQUIRED && asked !== account && !isPending) setAsked(account);
  const isCodeAsked = asked === account;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onProof({ password, ...(isCodeAsked && { code: codeOf(code) }) });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {problem && problem.code !== CODE_REQUIRED && <ProblemAlert title={refusal} problem={problem} />}
        {children}
        <PasswordInput
          label="Password"
          name="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {isCodeAsked && (
          <>
            <Text size="sm" role="status">
              Your account has a second factor: give its code as well.
            </Text>
            <CodeField value={code} onChange={setCode} isFocused />
          </>
        )}
        <BusyButton type="submit" size="md" loading={isPending} fullWidth>
          {act}
        </BusyButton>
      </Stack>
    </form>
  );
}
