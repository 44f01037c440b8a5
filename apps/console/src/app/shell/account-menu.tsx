import { Avatar, Menu, Text, UnstyledButton, useMantineColorScheme, type MantineColorScheme } from '@mantine/core';
import { IconCheck, IconDeviceDesktop, IconLogout, IconMoon, IconSun, IconDots } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { problemOf } from '../../api/problem.js';
import { signOut, useSession } from '../../api/session.js';
import { showProblem } from '../../ui/notices.js';
import classes from './shell.module.css';

const schemes: readonly {
  readonly value: MantineColorScheme;
  readonly label: string;
  readonly icon: typeof IconSun;
}[] = [
  { value: 'light', label: 'Light', icon: IconSun },
  { value: 'dark', label: 'Dark', icon: IconMoon },
  { value: 'auto', label: 'Like the system', icon: IconDeviceDesktop },
];

/** The signed-in person: appearance and signing out. */
export function AccountMenu(): ReactElement {
  const { user } = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Menu position="top-start" width={224} shadow="md">
      <Menu.Target>
        <UnstyledButton className={classes['menuButton']}>
          <Avatar name={user.name} color="indigo" size={30} radius="xl" aria-hidden />
          <span className={classes['menuText']}>
            <span className="only-spoken">Account of </span>
            <Text size="sm" fw={500} truncate>
              {user.name}
            </Text>
            <Text size="xs" c="dimmed" truncate>
              {user.email}
            </Text>
          </span>
          <IconDots size={16} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Appearance</Menu.Label>
        {schemes.map(({ value, label, icon: Symbol }) => (
          <Menu.Item
            key={value}
            closeMenuOnClick={false}
            leftSection={<Symbol size={15} aria-hidden />}
            rightSection={colorScheme === value ? <IconCheck size={15} aria-label="chosen" /> : null}
            onClick={() => setColorScheme(value)}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={15} aria-hidden />} onClick={leaveByMenu}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function leaveByMenu(): void {
  signOut(false).catch((error: unknown) => showProblem(problemOf(error)));
}
