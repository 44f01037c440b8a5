import { Group, Stack, Text, ThemeIcon } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import type { ReactElement, ReactNode } from 'react';
import classes from './empty-state.module.css';

/** What to do where nothing is yet. */
export function EmptyState({
  icon: Symbol,
  title,
  children,
  action,
  isFramed = true,
  isWholePage = false,
}: {
  readonly icon: Icon;
  readonly title: string;
  /** A sentence or two. */
  readonly children: ReactNode;
  readonly action?: ReactNode;
  /** False: it fills a place that has a frame of its own. */
  readonly isFramed?: boolean;
  /** True: the page has no other heading. */
  readonly isWholePage?: boolean;
}): ReactElement {
  return (
    <Stack align="center" justify="center" gap="sm" className={classes[isFramed ? 'state' : 'filling']}>
      <ThemeIcon size={48} radius="xl" variant="light" aria-hidden>
        <Symbol size={24} stroke={1.6} />
      </ThemeIcon>
      <Text fw={600} m={0} component={isWholePage ? 'h1' : 'p'}>
        {title}
      </Text>
      <Text c="dimmed" size="sm" maw={440} ta="center" component="div">
        {children}
      </Text>
      {action !== undefined && <Group mt="xs">{action}</Group>}
    </Stack>
  );
}
