import { useMantineColorScheme } from '@mantine/core';
import { Spotlight, type SpotlightActionData } from '@mantine/spotlight';
import { IconBook2, IconBuilding, IconLogout, IconSearch, IconSunMoon } from '@tabler/icons-react';
import { useRouter } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { call } from '../../api/call.js';
import { mayLoseDrafts } from '../../api/held-page.js';
import { problemOf } from '../../api/problem.js';
import { enter, isPageOpen, signOut, useSession } from '../../api/session.js';
import { showProblem } from '../../ui/notices.js';
import { pages } from '../pages.js';
import { paletteStore } from './palette-state.js';

/** The command palette: every page that the role may see, and a few acts. */
export function Palette(): ReactElement {
  const router = useRouter();
  const session = useSession();
  const { organization, organizations } = session;
  const { toggleColorScheme } = useMantineColorScheme();
  const go: SpotlightActionData[] = pages.flatMap((page) => {
    const { path, navigation } = page;
    if (!navigation || !isPageOpen(session, page)) return [];
    const { label, icon: Symbol, keywords = [], group } = navigation;
    return [
      {
        id: `page:${path}`,
        label,
        description: group,
        keywords: [...keywords],
        leftSection: <Symbol size={20} stroke={1.6} aria-hidden />,
        onClick: () => void router.navigate({ to: path as '/' }),
      },
    ];
  });
  const switches: SpotlightActionData[] = organizations
    .filter(({ id }) => id !== organization.id)
    .map(({ id, name }) => ({
      id: `organization:${id}`,
      label: `Switch to ${name}`,
      description: 'Organization',
      leftSection: <IconBuilding size={20} stroke={1.6} aria-hidden />,
      onClick: () =>
        attempt(async () => {
          if (mayLoseDrafts()) enter(await call('switchOrganization', { body: { organizationId: id } }), undefined);
        }),
    }));
  const acts: SpotlightActionData[] = [
    {
      id: 'appearance',
      label: 'Switch between light and dark',
      keywords: ['theme', 'appearance'],
      leftSection: <IconSunMoon size={20} stroke={1.6} aria-hidden />,
      onClick: toggleColorScheme,
    },
    {
      id: 'reference',
      label: 'Open the API reference',
      keywords: ['docs', 'openapi'],
      leftSection: <IconBook2 size={20} stroke={1.6} aria-hidden />,
      onClick: () => window.open('/docs', '_blank', 'noopener'),
    },
    {
      id: 'sign-out',
      label: 'Sign out',
      leftSection: <IconLogout size={20} stroke={1.6} aria-hidden />,
      onClick: () => attempt(() => signOut(false)),
    },
  ];
  return (
    <Spotlight
      store={paletteStore}
      actions={[...go, ...switches, ...acts]}
      shortcut={null}
      nothingFound="Nothing fits. Try the name of a page."
      highlightQuery
      limit={12}
      attributes={{ content: { 'aria-label': 'Commands' } }}
      searchProps={{
        leftSection: <IconSearch size={18} aria-hidden />,
        placeholder: 'Go to a page or do something',
        'aria-label': 'Search commands',
      }}
    />
  );
}

function attempt(act: () => Promise<void>): void {
  act().catch((error: unknown) => showProblem(problemOf(error)));
}
