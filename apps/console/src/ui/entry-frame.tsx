import { Group, Paper, Text, Title } from '@mantine/core';
import { useEffect, type ReactElement, type ReactNode } from 'react';
import { Brand } from '../app/shell/brand.js';
import classes from './entry-frame.module.css';

/** The frame of the pages for visitors. */
export function EntryFrame({
  title,
  description,
  children,
}: {
  readonly title: string;
  readonly description?: string;
  readonly children: ReactNode;
}): ReactElement {
  useEffect(() => {
    document.title = `${title} · Switchboard`;
  }, [title]);
  return (
    <main className={classes['frame']}>
      <div className={classes['column']}>
        <Group gap="sm" mb="lg" justify="center">
          <Brand size={36} />
          <Text fw={650} fz="xl">
            Switchboard
          </Text>
        </Group>
        <Paper withBorder shadow="sm" p="xl" radius="lg">
          <Title order={1} fz="xl" mb={4}>
            {title}
          </Title>
          <Text c="dimmed" size="sm" mb="lg">
            {description}
          </Text>
          {children}
        </Paper>
      </div>
    </main>
  );
}
