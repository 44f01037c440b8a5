import { Alert, Button, Paper, PasswordInput, Stack, Text } from '@mantine/core';
import { useState, type FormEvent, type ReactElement } from 'react';
import { problemOf } from '../../api/problem.js';
import { needsEnrolment, signOut, useSession } from '../../api/session.js';
import { renewSession } from '../../api/session-tabs.js';
import { useChange } from '../../api/use-api.js';
import { BusyButton } from '../../ui/busy-button.js';
import { ForeignText } from '../../ui/foreign-text.js';
import { showProblem } from '../../ui/notices.js';
import { PageFrame } from '../../ui/page.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { SecondFactorPanel } from './second-factor-panel.js';
import { SessionList } from './session-list.js';

/** Settings → Your account. */
export function Page(): ReactElement {
  const session = useSession();
  const { user, organization } = session;
  const isEnrolmentDue = needsEnrolment(session);
  return (
    <PageFrame title="Your account" description={<ForeignText>{`${user.name}, ${user.email}`}</ForeignText>}>
      {isEnrolmentDue && (
        <Alert color="yellow" variant="light" title="Enable a second factor first" role="alert">
          <ForeignText>{organization.name}</ForeignText> requires one of every member. Until yours is enabled, no other
          page opens here.
        </Alert>
      )}
      {!isEnrolmentDue && <PasswordForm />}
      <SecondFactorPanel />
      {!isEnrolmentDue && <SessionList />}
      <Paper withBorder p="lg">
        <Stack gap="sm" align="flex-start">
          <Text fw={600}>All sessions</Text>
          <Text size="sm" c="dimmed">
            Ends every session of yours, in every organization and on every device, this one too.
          </Text>
          <Button
            variant="default"
            onClick={() => signOut(true).catch((error: unknown) => showProblem(problemOf(error)))}
          >
            Sign out everywhere
          </Button>
        </Stack>
      </Paper>
    </PageFrame>
  );
}

function PasswordForm(): ReactElement {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const change = useChange('changePassword', {
    isQuiet: true,
    done: 'The password is changed, and your other sessions have ended.',
    onDone: (session) => {
      renewSession(session);
      setCurrent('');
      setNext('');
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    change.mutate({ body: { current, new: next } });
  };
  return (
    <Paper withBorder p="lg">
      <form onSubmit={submit}>
        <Stack maw={420}>
          <Text fw={600}>Password</Text>
          {change.error && <ProblemAlert title="The password was not changed" problem={change.error} />}
          <PasswordInput
            label="Present password"
            autoComplete="current-password"
            required
            value={current}
            onChange={(event) => setCurrent(event.currentTarget.value)}
          />
          <PasswordInput
            label="New password"
            description="12 to 256 characters"
            autoComplete="new-password"
            required
            minLength={12}
            value={next}
            onChange={(event) => setNext(event.currentTarget.value)}
          />
          <div>
            <BusyButton type="submit" loading={change.isPending}>
              Change password
            </BusyButton>
          </div>
        </Stack>
      </form>
    </Paper>
  );
}
