import { TextInput } from '@mantine/core';
import type { ReactElement } from 'react';

/** A code as the API takes it: apps show it in groups. */
export function codeOf(typed: string): string {
  return typed.replaceAll(/\s/g, '');
}

/** Asks for a code of the second factor. */
export function CodeField({
  value,
  onChange,
  isFocused = false,
  takesRecoveryCode = true,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly isFocused?: boolean;
  /** False: only the authenticator app can have it, as at its first code. */
  readonly takesRecoveryCode?: boolean;
}): ReactElement {
  return (
    <TextInput
      label="Code"
      description={
        takesRecoveryCode
          ? 'The six digits that your authenticator app shows, or a recovery code'
          : 'The six digits that your authenticator app shows'
      }
      name="code"
      autoComplete="one-time-code"
      inputMode={takesRecoveryCode ? 'text' : 'numeric'}
      autoCapitalize="none"
      spellCheck={false}
      maxLength={64}
      required
      autoFocus={isFocused}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
