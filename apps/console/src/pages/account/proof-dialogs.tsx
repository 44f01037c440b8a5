import { Button, Group, PasswordInput, Stack, Text } from '@mantine/core';
import { useState, type ReactElement, type ReactNode } from 'react';
import type { SecondFactorProofBody } from '../../api/api.generated.js';
import type { Problem } from '../../api/problem.js';
import { refreshSession } from '../../api/session.js';
import { useChange } from '../../api/use-api.js';
import { BusyButton } from '../../ui/busy-button.js';
import { CodeField, codeOf } from '../../ui/code-field.js';
import { Dialog } from '../../ui/dialog.js';
import { ProblemAlert } from '../../ui/problem-alert.js';

/** Makes new recovery codes. */
export function RenewCodesDialog({
  onRenewed,
  onClose,
}: {
  readonly onRenewed: (recoveryCodes: readonly string[]) => void;
  readonly onClose: () => void;
}): ReactElement {
  const renew = useChange('renewRecoveryCodes', {
    refreshes: ['getSecondFactor'],
    isQuiet: true,
    isShownOnce: true,
    onDone: ({ recoveryCodes }) => onRenewed(recoveryCodes),
  });
  return (
    <ProofDialog
      title="Make new recovery codes?"
      act="Make new codes"
      isPending={renew.isPending}
      problem={renew.error}
      onProof={(body) => renew.mutate({ body })}
      onClose={onClose}
    >
      You get ten new ones, shown once. The former ones are no longer valid.
    </ProofDialog>
  );
}

/** Takes the second factor away. */
export function DisableDialog({
  isRequired,
  onClose,
}: {
  /** Whether the organization requires one. */
  readonly isRequired: boolean;
  readonly onClose: () => void;
}): ReactElement {
  const disable = useChange('disableSecondFactor', {
    refreshes: ['getSecondFactor'],
    done: 'The second factor is disabled.',
    isQuiet: true,
    onDone: () => {
      onClose();
      void refreshSession();
    },
  });
  return (
    <ProofDialog
      title="Disable the second factor?"
      act="Disable"
      isDangerous
      isPending={disable.isPending}
      problem={disable.error}
      onProof={(body) => disable.mutate({ body })}
      onClose={onClose}
    >
      Signing in asks for the password alone, and the recovery codes go.
      {isRequired && ' This organization requires a second factor: until you enable a new one, no other page opens.'}
    </ProofDialog>
  );
}

/** Asks for the password and a code before a change of the second factor. */
function ProofDialog({
  title,
  children,
  act,
  isPending,
  problem,
  isDangerous = false,
  onProof,
  onClose,
}: {
  readonly title: string;
  /** What will happen. */
  readonly children: ReactNode;
  /** The button's words: a verb. */
  readonly act: string;
  readonly isPending: boolean;
  readonly problem: Problem | null;
  readonly isDangerous?: boolean;
  readonly onProof: (proof: SecondFactorProofBody) => void;
  readonly onClose: () => void;
}): ReactElement {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  return (
    <Dialog onClose={onClose} title={title}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onProof({ password, code: codeOf(code) });
        }}
      >
        <Stack>
          <Text size="sm">{children}</Text>
          {problem && <ProblemAlert problem={problem} />}
          <PasswordInput
            label="Present password"
            autoComplete="current-password"
            required
            data-autofocus
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <CodeField value={code} onChange={setCode} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <BusyButton type="submit" color={isDangerous ? 'red' : undefined} loading={isPending}>
              {act}
            </BusyButton>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
