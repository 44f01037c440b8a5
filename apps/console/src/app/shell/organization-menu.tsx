import { Avatar, Menu, Text, UnstyledButton } from '@mantine/core';
import { IconCheck, IconSelector } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { mayLoseDrafts } from '../../api/held-page.js';
import { enter, useSession } from '../../api/session.js';
import { useChange } from '../../api/use-api.js';
import { roleLabel } from '../../ui/labels.js';
import classes from './shell.module.css';

/** The organization that one acts in, and the others that one belongs to. */
export function OrganizationMenu(): ReactElement {
  const { organization, organizations, role } = useSession();
  const change = useChange('switchOrganization', { onDone: (session) => enter(session, undefined) });
  return (
    <Menu position="bottom-start" width={224} shadow="md">
      <Menu.Target>
        <UnstyledButton className={classes['menuButton']}>
          <Avatar name={organization.name} color="indigo" size={30} radius="md" aria-hidden />
          <span className={classes['menuText']}>
            <span className="only-spoken">Organization </span>
            <Text size="sm" fw={600} truncate>
              {organization.name}
            </Text>
            <Text size="xs" c="dimmed">
              {roleLabel(role)}
            </Text>
          </span>
          <IconSelector size={16} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Your organizations</Menu.Label>
        {organizations.map(({ id, name, role: there }) => (
          <Menu.Item
            key={id}
            leftSection={<Avatar name={name} color="indigo" size={22} radius="sm" aria-hidden />}
            rightSection={id === organization.id ? <IconCheck size={15} aria-label="current" /> : null}
            disabled={change.isPending}
            onClick={() => {
              if (id !== organization.id && mayLoseDrafts()) change.mutate({ body: { organizationId: id } });
            }}
          >
            <Text size="sm" truncate>
              {name}
            </Text>
            <Text size="xs" c="dimmed">
              {roleLabel(there)}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
