import { Kbd, Text, UnstyledButton } from '@mantine/core';
import { IconExternalLink, IconBook2, IconSearch } from '@tabler/icons-react';
import { useRouterState } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { isPageOpen, useSession } from '../../api/session.js';
import { LinkTo } from '../../ui/link-to.js';
import { pages, type PageEntry } from '../pages.js';
import { AccountMenu } from './account-menu.js';
import { OrganizationMenu } from './organization-menu.js';
import { openPalette, paletteKey } from './palette-state.js';
import classes from './shell.module.css';

const groups = ['Messaging', 'Settings'] as const;

/** The navigation: organization, search, pages by group, and the person at the bottom. */
export function Navigation({ onNavigate }: { readonly onNavigate: () => void }): ReactElement {
  const session = useSession();
  const allowed = pages.filter((page) => page.navigation && isPageOpen(session, page));
  return (
    <>
      <div className={classes['top']}>
        <OrganizationMenu />
        <UnstyledButton className={classes['search']} onClick={openPalette} aria-keyshortcuts={paletteKey.shortcut}>
          <IconSearch size={15} aria-hidden />
          <span>Search</span>
          <Kbd size="xs">{paletteKey.label}</Kbd>
        </UnstyledButton>
      </div>
      <div className={classes['groups']}>
        {groups.map((group) => {
          const entries = allowed.filter(({ navigation }) => navigation?.group === group);
          return entries.length === 0 ? null : (
            <Group key={group} name={group} entries={entries} onNavigate={onNavigate} />
          );
        })}
        <a href="/docs" target="_blank" rel="noopener noreferrer" className={classes['link']}>
          <IconBook2 size={18} stroke={1.7} aria-hidden />
          API reference
          <IconExternalLink size={13} aria-hidden />
        </a>
      </div>
      <div className={classes['bottom']}>
        <AccountMenu />
      </div>
    </>
  );
}

function Group({
  name,
  entries,
  onNavigate,
}: {
  readonly name: string;
  readonly entries: readonly PageEntry[];
  readonly onNavigate: () => void;
}): ReactElement {
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  return (
    <div role="group" aria-label={name}>
      <Text className={classes['label']}>{name}</Text>
      {entries.map(({ path, navigation }) => {
        if (!navigation) return null;
        const { icon: Symbol, label } = navigation;
        const isActive = isBelow(pathname, path);
        return (
          <LinkTo
            key={path}
            to={path}
            className={classes['link']}
            onClick={onNavigate}
            aria-current={isActive ? 'page' : undefined}
            {...(isActive ? { 'data-active': true } : {})}
          >
            <Symbol size={18} stroke={1.7} aria-hidden />
            {label}
          </LinkTo>
        );
      })}
    </div>
  );
}

/** The router's paths may or may not carry the base. */
function isBelow(pathname: string, path: string): boolean {
  const local = pathname.replace(/^\/app(?=\/|$)/, '') || '/';
  return path === '/' ? local === '/' : local === path || local.startsWith(`${path}/`);
}
