import { Anchor, Button, Center, Group, PasswordInput, Stack, Text } from '@mantine/core';
import { QRCodeSVG } from 'qrcode.react';
import { useState, type FormEvent, type ReactElement } from 'react';
import type { NewSecondFactor } from '../../api/api.generated.js';
import { mayBeDone } from '../../api/problem.js';
import { useChange } from '../../api/use-api.js';
import { BusyButton } from '../../ui/busy-button.js';
import { CodeField, codeOf } from '../../ui/code-field.js';
import { CopyLine } from '../../ui/copyable.js';
import { Dialog } from '../../ui/dialog.js';
import { ProblemAlert, type Doubt } from '../../ui/problem-alert.js';

const doubt: Doubt = {
  title: 'The second factor may be enabled',
  advice:
    'Keep the key in the app and close this: the page shows the state. Where it is enabled, make new recovery codes.',
};

/** Enables a second factor: the password, then the seed for the app, then its first code. */
export function EnrolDialog({
  onEnabled,
  onClose,
}: {
  readonly onEnabled: (recoveryCodes: readonly string[]) => void;
  readonly onClose: () => void;
}): ReactElement {
  const [begun, setBegun] = useState<NewSecondFactor | null>(null);
  return (
    <Dialog onClose={onClose} title="Enable a second factor" closeOnClickOutside={false}>
      {begun ? (
        <FirstCode begun={begun} onEnabled={onEnabled} onClose={onClose} />
      ) : (
        <Password onBegun={setBegun} onClose={onClose} />
      )}
    </Dialog>
  );
}

function Password({
  onBegun,
  onClose,
}: {
  readonly onBegun: (begun: NewSecondFactor) => void;
  readonly onClose: () => void;
}): ReactElement {
  const [password, setPassword] = useState('');
  const begin = useChange('beginSecondFactor', { isQuiet: true, onDone: onBegun });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    begin.mutate({ body: { password } });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {begin.error && <ProblemAlert problem={begin.error} />}
        <PasswordInput
          label="Present password"
          autoComplete="current-password"
          required
          data-autofocus
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <BusyButton type="submit" loading={begin.isPending}>
            Continue
          </BusyButton>
        </Group>
      </Stack>
    </form>
  );
}

function FirstCode({
  begun: { seed, uri },
  onEnabled,
  onClose,
}: {
  readonly begun: NewSecondFactor;
  readonly onEnabled: (recoveryCodes: readonly string[]) => void;
  readonly onClose: () => void;
}): ReactElement {
  const [code, setCode] = useState('');
  const enable = useChange('enableSecondFactor', {
    refreshes: ['getSecondFactor', 'listOwnSessions'],
    done: 'The second factor is enabled, and your other sessions have ended.',
    isQuiet: true,
    isShownOnce: true,
    onDone: ({ recoveryCodes }) => onEnabled(recoveryCodes),
  });
  // A later refusal, such as that it is enabled already, says nothing of a try without an answer.
  const [wasInDoubt, setWasInDoubt] = useState(false);
  if (enable.error && mayBeDone(enable.error) && !wasInDoubt) setWasInDoubt(true);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    enable.mutate({ body: { code: codeOf(code) } });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">
          Scan this with an authenticator app, or <Anchor href={uri}>open it in an app on this device</Anchor>.
        </Text>
        <Center>
          {/* Scanners need dark on light, in the dark scheme too. */}
          <QRCodeSVG
            value={uri}
            size={192}
            marginSize={4}
            bgColor="#ffffff"
            fgColor="#000000"
            title="QR code for the authenticator app"
          />
        </Center>
        <Text size="sm">Where you cannot scan, type this key into the app:</Text>
        <CopyLine value={seed} label="Copy the key" />
        {enable.error && (
          <ProblemAlert
            title="The second factor is not enabled yet"
            doubt={doubt}
            isInDoubt={wasInDoubt}
            problem={enable.error}
          />
        )}
        <CodeField value={code} onChange={setCode} isFocused takesRecoveryCode={false} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <BusyButton type="submit" loading={enable.isPending}>
            Enable
          </BusyButton>
        </Group>
      </Stack>
    </form>
  );
}
