import { Button, Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Session } from '../../api/api.generated.js';
import { enter } from '../../api/session.js';
import { useChange } from '../../api/use-api.js';
import { BusyButton } from '../../ui/busy-button.js';
import { ForeignText } from '../../ui/foreign-text.js';
import { ProblemAlert } from '../../ui/problem-alert.js';

/** Accepts an invitation by the session of the invited address, without a password. */
export function JoinInSession({
  token,
  session: { user },
  onOtherAddress,
}: {
  readonly token: string;
  readonly session: Session;
  /** The invitation is for another address, or is taken to be. */
  readonly onOtherAddress: () => void;
}): ReactElement {
  const accept = useChange('acceptInvite', { isQuiet: true, onDone: (joined) => enter(joined, undefined) });
  // Without a password the API asks for one: the invitation is for another address, or the session has ended.
  const isOther = accept.error?.code === 'VALIDATION_FAILED';
  return (
    <Stack>
      {accept.error && !isOther && <ProblemAlert title="The invitation was not accepted" problem={accept.error} />}
      {isOther ? (
        <Text size="sm" role="alert">
          The invitation is for another address than <ForeignText fw={600}>{user.email}</ForeignText>, or your session
          has ended. Give the password of the invited address.
        </Text>
      ) : (
        <Text size="sm">
          You are signed in as <ForeignText fw={600}>{user.email}</ForeignText>.
        </Text>
      )}
      {!isOther && (
        <BusyButton size="md" loading={accept.isPending} onClick={() => accept.mutate({ body: { token } })} fullWidth>
          Join
        </BusyButton>
      )}
      <Button variant={isOther ? 'filled' : 'subtle'} onClick={onOtherAddress} fullWidth>
        Use another account
      </Button>
    </Stack>
  );
}
