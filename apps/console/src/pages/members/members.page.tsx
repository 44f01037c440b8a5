import { Button, Select, Stack, Text } from '@mantine/core';
import { IconUserPlus, IconUsers } from '@tabler/icons-react';
import { useState, type ReactElement } from 'react';
import type { Invite, Member, NewInvite } from '../../api/api.generated.js';
import { useSession, type Role } from '../../api/session.js';
import { useChange, useList } from '../../api/use-api.js';
import { BusyButton } from '../../ui/busy-button.js';
import { ConfirmDialog } from '../../ui/confirm-dialog.js';
import { DataTable, type Column } from '../../ui/data-table.js';
import { EmptyState } from '../../ui/empty-state.js';
import { ForeignText, readable } from '../../ui/foreign-text.js';
import { roleLabel } from '../../ui/labels.js';
import { PageFrame } from '../../ui/page.js';
import { ListView } from '../../ui/query-view.js';
import { Time } from '../../ui/time.js';
import { InvitationDialog } from './invitation-dialog.js';
import { InviteDialog } from './invite-dialog.js';
import { SecondFactorRule } from './second-factor-rule.js';

/** Settings → Members. */
export function Page(): ReactElement {
  const members = useList('listMembers', {});
  const invites = useList('listInvites', {});
  const [isInviting, setInviting] = useState(false);
  const [invitation, setInvitation] = useState<NewInvite | null>(null);
  return (
    <PageFrame
      title="Members"
      description="Owners and admins manage keys, webhooks, channels and people. Members work with messages, contacts and figures."
      actions={
        <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={() => setInviting(true)}>
          Invite
        </Button>
      }
    >
      <ListView
        list={members}
        empty={
          <EmptyState icon={IconUsers} title="No members">
            Invite your colleagues.
          </EmptyState>
        }
      >
        {(items) => <DataTable label="Members" columns={memberColumns} items={items} keyOf={({ id }) => id} />}
      </ListView>
      <ListView list={invites} empty={null} skeleton={null}>
        {(items) => (
          <Stack gap="sm">
            <Text fw={600}>Open invitations</Text>
            <DataTable label="Open invitations" columns={inviteColumns} items={items} keyOf={({ id }) => id} />
          </Stack>
        )}
      </ListView>
      <SecondFactorRule />
      {isInviting && (
        <InviteDialog
          onClose={() => setInviting(false)}
          onInvited={(made) => {
            setInviting(false);
            setInvitation(made);
          }}
        />
      )}
      {invitation && <InvitationDialog invitation={invitation} onClose={() => setInvitation(null)} />}
    </PageFrame>
  );
}

const memberColumns: readonly Column<Member>[] = [
  {
    title: 'Person',
    cell: ({ user }) => (
      <>
        <Text size="sm" fw={550} component="div">
          <ForeignText>{user.name}</ForeignText>
        </Text>
        <Text size="xs" c="dimmed" component="div">
          <ForeignText>{user.email}</ForeignText>
        </Text>
      </>
    ),
  },
  { title: 'Role', cell: (member) => <RoleChoice member={member} /> },
  {
    title: 'Since',
    cell: ({ createdAt }) => (
      <Text size="sm" component="div">
        <Time at={createdAt} />
      </Text>
    ),
  },
  { title: 'Actions', isTitleHidden: true, align: 'right', cell: (member) => <RemoveMember member={member} /> },
];

const inviteColumns: readonly Column<Invite>[] = [
  {
    title: 'Email',
    cell: ({ email }) => (
      <Text size="sm" component="div">
        <ForeignText>{email}</ForeignText>
      </Text>
    ),
  },
  { title: 'Role', cell: ({ role }) => <Text size="sm">{roleLabel(role)}</Text> },
  {
    title: 'Expires',
    cell: ({ expiresAt }) => (
      <Text size="sm" component="div">
        <Time at={expiresAt} />
      </Text>
    ),
  },
  { title: 'Actions', isTitleHidden: true, align: 'right', cell: (invite) => <RevokeInvite invite={invite} /> },
];

/** Admins do not touch owners, and make none. */
function rolesFor(own: Role): readonly Role[] {
  return own === 'OWNER' ? ['OWNER', 'ADMIN', 'MEMBER'] : ['ADMIN', 'MEMBER'];
}

function RoleChoice({ member }: { readonly member: Member }): ReactElement {
  const { role, user } = useSession();
  const change = useChange('changeMember', {
    refreshes: ['listMembers'],
    done: 'The role is changed; the person signs in anew.',
  });
  const roles = rolesFor(role);
  if (member.user.id === user.id || !roles.includes(member.role))
    return <Text size="sm">{roleLabel(member.role)}</Text>;
  return (
    <Select
      size="xs"
      w={120}
      aria-label={`Role of ${readable(member.user.name)}`}
      allowDeselect={false}
      disabled={change.isPending}
      value={member.role}
      data={roles.map((value) => ({ value, label: roleLabel(value) }))}
      onChange={(value) => {
        const chosen = roles.find((one) => one === value);
        if (chosen && chosen !== member.role) change.mutate({ path: { id: member.id }, body: { role: chosen } });
      }}
    />
  );
}

function RemoveMember({ member }: { readonly member: Member }): ReactElement | null {
  const { role, user } = useSession();
  const [isAsking, setAsking] = useState(false);
  const remove = useChange('removeMember', {
    refreshes: ['listMembers', 'getPlan'],
    done: 'The member is removed.',
    isQuiet: true,
    onDone: () => setAsking(false),
  });
  if (member.user.id === user.id || !rolesFor(role).includes(member.role)) return null;
  return (
    <>
      <Button
        size="xs"
        variant="subtle"
        color="red"
        aria-label={`Remove ${readable(member.user.name)}`}
        onClick={() => setAsking(true)}
      >
        Remove
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        title="Remove this member?"
        act="Remove member"
        isPending={remove.isPending}
        problem={remove.error}
        onConfirm={() => remove.mutate({ path: { id: member.id } })}
        onClose={() => setAsking(false)}
      >
        <ForeignText fw={600}>{member.user.name}</ForeignText> is signed out of this organization at once. API keys keep
        working.
      </ConfirmDialog>
    </>
  );
}

function RevokeInvite({ invite }: { readonly invite: Invite }): ReactElement {
  const revoke = useChange('revokeInvite', {
    refreshes: ['listInvites', 'getPlan'],
    done: 'The invitation is revoked.',
  });
  return (
    <BusyButton
      size="xs"
      variant="subtle"
      color="red"
      loading={revoke.isPending}
      aria-label={`Revoke the invitation of ${readable(invite.email)}`}
      onClick={() => revoke.mutate({ path: { id: invite.id } })}
    >
      Revoke
    </BusyButton>
  );
}
