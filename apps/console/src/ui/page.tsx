import { Anchor, Group, Stack, Text, Title } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { useEffect, type ReactElement, type ReactNode } from 'react';
import { useHeadingFocus } from './focus.js';
import { LinkTo } from './link-to.js';
import classes from './page.module.css';

/** The frame of a page: its title, also of the tab, a sentence, what can be done, and the content. */
export function PageFrame({
  title,
  tabTitle,
  description,
  actions,
  back,
  isWide = false,
  children,
}: {
  readonly title: ReactNode;
  /** Of the browser's tab, where `title` is no text. */
  readonly tabTitle?: string;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  /** Where the page came from. */
  readonly back?: { readonly to: string; readonly label: string };
  readonly isWide?: boolean;
  readonly children: ReactNode;
}): ReactElement {
  const named = tabTitle ?? (typeof title === 'string' ? title : 'Console');
  useEffect(() => {
    document.title = `${named} · Switchboard`;
  }, [named]);
  const { frame, heading } = useHeadingFocus();
  return (
    <Stack ref={frame} gap="lg" className={isWide ? classes['wide'] : classes['page']}>
      <header>
        {back && (
          <Anchor component={LinkTo} to={back.to} size="sm" c="dimmed" className={classes['back']}>
            <IconArrowLeft size={14} aria-hidden /> {back.label}
          </Anchor>
        )}
        <Group justify="space-between" align="flex-start" gap="md">
          <div className={classes['heading']}>
            <Title ref={heading} order={1} tabIndex={-1} className={classes['title']}>
              {title}
            </Title>
            {description !== undefined && (
              <Text c="dimmed" size="sm" mt={4} maw={640}>
                {description}
              </Text>
            )}
          </div>
          {actions !== undefined && <Group gap="xs">{actions}</Group>}
        </Group>
      </header>
      {children}
    </Stack>
  );
}
