import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import type { SecondFactor } from '../../api/api.generated.js';
import { refreshSession } from '../../api/session.js';
import { useRead } from '../../api/use-api.js';
import { ListSkeleton, QueryView } from '../../ui/query-view.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { Time } from '../../ui/time.js';
import { EnrolDialog } from './enrol-dialog.js';
import { DisableDialog, RenewCodesDialog } from './proof-dialogs.js';
import { RecoveryCodesDialog } from './recovery-codes-dialog.js';

type Act = 'enrol' | 'renew' | 'disable';

/** The person's second factor: its state, and what can be done with it. */
export function SecondFactorPanel(): ReactElement {
  const state = useRead('getSecondFactor', {});
  const [act, setAct] = useState<Act | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const close = (): void => setAct(null);
  const closeEnrolment = (): void => {
    close();
    // Enabled by a request whose answer was lost: the rest of the page changes with the session.
    if (state.data?.isEnabled) void refreshSession();
  };
  const show = (made: readonly string[]): void => {
    setAct(null);
    setCodes(made);
  };
  return (
    <Paper withBorder p="lg">
      <QueryView query={state} skeleton={<ListSkeleton rows={1} />}>
        {(answer) => <State state={answer} onAct={setAct} />}
      </QueryView>
      {act === 'enrol' && <EnrolDialog onEnabled={show} onClose={closeEnrolment} />}
      {act === 'renew' && <RenewCodesDialog onRenewed={show} onClose={close} />}
      {act === 'disable' && <DisableDialog isRequired={state.data?.isRequired ?? false} onClose={close} />}
      {codes && (
        <RecoveryCodesDialog
          codes={codes}
          onClose={() => {
            setCodes(null);
            // Not before the codes are kept: the rest of the page changes with the session.
            void refreshSession();
          }}
        />
      )}
    </Paper>
  );
}

function State({
  state: { isEnabled, enabledAt, recoveryCodesLeft },
  onAct,
}: {
  readonly state: SecondFactor;
  readonly onAct: (act: Act) => void;
}): ReactElement {
  return (
    <Stack gap="sm" align="flex-start">
      <Group gap="xs">
        <Text fw={600}>Second factor</Text>
        <StatusBadge tone={isEnabled ? 'good' : 'quiet'}>{isEnabled ? 'Enabled' : 'Not enabled'}</StatusBadge>
      </Group>
      <Text size="sm" c="dimmed" component="div">
        {isEnabled ? (
          <>
            Signing in asks for a code of your authenticator app
            {enabledAt !== null && (
              <>
                {', since '}
                <Time at={enabledAt} />
              </>
            )}
            . Recovery codes left: {recoveryCodesLeft}.
          </>
        ) : (
          'Signing in then asks for a code of an authenticator app, next to the password.'
        )}
      </Text>
      {isEnabled ? (
        <Group gap="xs">
          <Button variant="default" onClick={() => onAct('renew')}>
            New recovery codes
          </Button>
          <Button variant="subtle" color="red" onClick={() => onAct('disable')}>
            Disable second factor
          </Button>
        </Group>
      ) : (
        <Button onClick={() => onAct('enrol')}>Enable second factor</Button>
      )}
    </Stack>
  );
}
