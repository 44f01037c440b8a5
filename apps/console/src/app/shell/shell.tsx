import { AppShell, Burger, Group, Text } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { Outlet } from '@tanstack/react-router';
import { lazy, Suspense, type ReactElement } from 'react';
import { Brand } from './brand.js';
import { useHeldNavigation } from './held-navigation.js';
import { Navigation } from './navigation.js';
import classes from './shell.module.css';

const Palette = lazy(() => import('./palette.js').then(({ Palette: component }) => ({ default: component })));

/** The frame around every page behind sign-in: navigation at the side, folded away on narrow screens. */
export function Shell(): ReactElement {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  // The breakpoint of the frame below, and right from the first drawing on.
  const isWide = useMediaQuery('(min-width: 48em)', false, { getInitialValueInEffect: false });
  useHeldNavigation();
  return (
    <AppShell
      header={{ height: { base: 52, sm: 0 } }}
      navbar={{ width: 248, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'md', sm: 'xl' }}
    >
      <a href="#content" className={classes['skip']}>
        Skip to content
      </a>
      <AppShell.Header hiddenFrom="sm" px="md">
        <Group h="100%" gap="sm">
          <Burger
            opened={isOpen}
            onClick={toggle}
            size="sm"
            aria-label={isOpen ? 'Close navigation' : 'Open navigation'}
          />
          <Brand />
          <Text fw={650}>Switchboard</Text>
        </Group>
      </AppShell.Header>
      {/* Folded away it is only moved aside: the Tab key and screen readers would still find it. */}
      <AppShell.Navbar className={classes['navbar']} aria-label="Main" inert={!isWide && !isOpen}>
        <Navigation onNavigate={close} />
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} className={classes['main']}>
        <Outlet />
      </AppShell.Main>
      <Suspense fallback={null}>
        <Palette />
      </Suspense>
    </AppShell>
  );
}
