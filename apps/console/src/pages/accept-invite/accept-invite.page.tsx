import { Skeleton } from '@mantine/core';
import { IconMailOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import type { Session } from '../../api/api.generated.js';
import type { Problem } from '../../api/problem.js';
import { readSession } from '../../api/read-session.js';
import { EmptyState } from '../../ui/empty-state.js';
import { EntryFrame } from '../../ui/entry-frame.js';
import { QueryView } from '../../ui/query-view.js';
import { JoinByPassword } from './join-by-password.js';
import { JoinInSession } from './join-in-session.js';

/** Where the link of an invitation leads: its secret is behind the `#`, which browsers send to no server. */
export function Page(): ReactElement {
  const [token] = useState(() => location.hash.slice(1));
  if (token === '') {
    return (
      <EntryFrame title="Accept an invitation">
        <EmptyState icon={IconMailOff} title="The link is not complete">
          Open the whole link that you were sent, the part behind the # too.
        </EmptyState>
      </EntryFrame>
    );
  }
  return <Invitation token={token} />;
}

function Invitation({ token }: { readonly token: string }): ReactElement {
  const session = useQuery<Session | null, Problem>({ queryKey: ['session'], queryFn: readSession });
  const [isByPassword, setByPassword] = useState(false);
  const signedIn = isByPassword ? null : session.data;
  return (
    <EntryFrame
      title="Accept the invitation"
      description={
        signedIn
          ? 'With an invitation for the address that you are signed in with, no password is needed.'
          : 'With an account here, give its password. Without one, choose a name and a password of at least 12 characters.'
      }
    >
      <QueryView query={session} skeleton={<Skeleton h={140} radius="md" aria-busy aria-label="Loading" />}>
        {() =>
          signedIn ? (
            <JoinInSession token={token} session={signedIn} onOtherAddress={() => setByPassword(true)} />
          ) : (
            <JoinByPassword token={token} />
          )
        }
      </QueryView>
    </EntryFrame>
  );
}
