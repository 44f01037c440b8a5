import { useMantineColorScheme } from '@mantine/core';
import { Spotlight, useSpotlight } from '@mantine/spotlight';
import { IconBook2, IconBuilding, IconLogout, IconSearch, IconSunMoon } from '@tabler/icons-react';
import { useRouter } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { call } from '../../api/call.js';
import { mayLoseDrafts } from '../../api/held-page.js';
import { problemOf } from '../../api/problem.js';
import { enter, isPageOpen, signOut, useSession } from '../../api/session.js';
import { showProblem } from '../../ui/notices.js';
import { pages } from '../pages.js';
import { paletteStore } from './palette-state.js';

/** Of the list of commands, and what those of its entries begin with. */
const LIST = 'commands';
const SHOWN_MAX = 12;

/**
 * The command palette: the focus stays in its field, which names the command that the arrow keys have chosen as the active one of its
 * list. Source: WAI-ARIA Authoring Practices, combobox.
 */
export function Palette(): ReactElement {
  const actions = useActions();
  const [query, setQuery] = useState('');
  const { selected } = useSpotlight(paletteStore);
  const shown = fitting(actions, query).slice(0, SHOWN_MAX);
  const chosen = shown[selected];
  return (
    <Spotlight.Root
      store={paletteStore}
      query={query}
      onQueryChange={setQuery}
      shortcut={null}
      attributes={{ content: { 'aria-label': 'Commands' } }}
    >
      {/* Mantine moves the choice in its store without a word to those who watch it. */}
      <div onKeyDown={() => paletteStore.setState({ ...paletteStore.getState() })}>
        <Spotlight.Search
          leftSection={<IconSearch size={18} aria-hidden />}
          placeholder="Go to a page or do something"
          aria-label="Search commands"
          role="combobox"
          aria-autocomplete="list"
          aria-expanded={shown.length > 0}
          aria-controls={shown.length > 0 ? LIST : undefined}
          aria-activedescendant={chosen && `${LIST}-${chosen.id}`}
        />
      </div>
      {shown.length > 0 && (
        <Spotlight.ActionsList id={LIST} role="listbox" aria-label="Commands">
          {shown.map(({ id, ...action }, index) => (
            <Spotlight.Action
              key={id}
              highlightQuery
              role="option"
              aria-selected={index === selected}
              {...action}
              // Mantine keeps the id to itself.
              {...{ renderRoot: (props: object) => <button {...props} id={`${LIST}-${id}`} /> }}
            />
          ))}
        </Spotlight.ActionsList>
      )}
      {/* In the page before it says anything: screen readers miss what comes with its words. */}
      <div role="status">
        {shown.length === 0 && <Spotlight.Empty>Nothing fits. Try the name of a page.</Spotlight.Empty>}
      </div>
    </Spotlight.Root>
  );
}

/** What has the words in its label comes first, then what has them elsewhere. */
function fitting(actions: readonly Action[], query: string): readonly Action[] {
  const words = query.trim().toLowerCase();
  const isIn = (...texts: readonly string[]): boolean => texts.some((text) => text.toLowerCase().includes(words));
  const named = actions.filter(({ label }) => isIn(label));
  const others = actions.filter(
    ({ label, description = '', keywords = [] }) => !isIn(label) && isIn(description, ...keywords),
  );
  return [...named, ...others];
}

interface Action {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  readonly keywords?: string[];
  readonly leftSection: ReactElement;
  readonly onClick: () => void;
}

/** Every page that the role may see, and a few acts. */
function useActions(): readonly Action[] {
  const router = useRouter();
  const session = useSession();
  const { organization, organizations } = session;
  const { toggleColorScheme } = useMantineColorScheme();
  const go: Action[] = pages.flatMap((page) => {
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
  const switches: Action[] = organizations
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
  const acts: Action[] = [
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
  return [...go, ...switches, ...acts];
}

function attempt(act: () => Promise<void>): void {
  act().catch((error: unknown) => showProblem(problemOf(error)));
}
