import { Paper, Switch } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import type { Organization } from '../../api/api.generated.js';
import { refreshSession, useSession } from '../../api/session.js';
import { useChange, useRead } from '../../api/use-api.js';
import { ConfirmDialog } from '../../ui/confirm-dialog.js';
import { ListSkeleton, QueryView } from '../../ui/query-view.js';

/** Whether every member must have a second factor: owners switch it. */
export function SecondFactorRule(): ReactElement {
  const organization = useRead('getOrganization', {});
  return (
    <Paper withBorder p="lg">
      <QueryView query={organization} skeleton={<ListSkeleton rows={1} />}>
        {(answer) => <RuleSwitch organization={answer} />}
      </QueryView>
    </Paper>
  );
}

function RuleSwitch({
  organization: { isSecondFactorRequired },
}: {
  readonly organization: Organization;
}): ReactElement {
  const { role, secondFactor } = useSession();
  const [isAsking, setAsking] = useState(false);
  const change = useChange('changeOrganization', {
    refreshes: ['getOrganization'],
    done: ({ isSecondFactorRequired: isOn }) =>
      isOn ? 'Every member must have a second factor.' : 'A second factor is up to each member.',
    isQuiet: true,
    onDone: () => {
      setAsking(false);
      void refreshSession();
    },
  });
  const isOwner = role === 'OWNER';
  return (
    <>
      <Switch
        label="Require a second factor"
        description={
          isOwner
            ? 'Members without one can only enable theirs, from their next request on. API keys keep working.'
            : 'Members without one can only enable theirs. Owners switch it.'
        }
        checked={isSecondFactorRequired}
        disabled={!isOwner || change.isPending}
        onChange={() => {
          change.reset();
          setAsking(true);
        }}
      />
      <ConfirmDialog
        isOpen={isAsking}
        title={isSecondFactorRequired ? 'Require it no longer?' : 'Require a second factor?'}
        act={isSecondFactorRequired ? 'Require it no longer' : 'Require it'}
        isDangerous={isSecondFactorRequired}
        isPending={change.isPending}
        problem={change.error}
        onConfirm={() => change.mutate({ body: { isSecondFactorRequired: !isSecondFactorRequired } })}
        onClose={() => setAsking(false)}
      >
        {isSecondFactorRequired
          ? 'Members can work with their password alone. Those who have a second factor keep it.'
          : 'From their next request on, members without a second factor can only enable theirs.'}
        {!isSecondFactorRequired && !secondFactor.isEnabled && ' You have none yourself: you enable yours next.'}
      </ConfirmDialog>
    </>
  );
}
