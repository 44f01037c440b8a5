import { IconAddressBook, IconHome2, IconInbox, type Icon } from '@tabler/icons-react';
import type { ComponentType } from 'react';
import type { Role } from '../api/session.js';

/** A page of the console. Routes, navigation and command palette are made of these alone. */
export interface PageEntry {
  /** Below `/app`; parameters begin with `$`. */
  readonly path: string;
  /** Fetches its code when the page is first opened; the module exports `Page`. */
  load(): Promise<{ readonly Page: ComponentType }>;
  /** Who may see it; left out: every member. */
  readonly roles?: readonly Role[];
  /** Its place in the navigation; left out: pages that others lead to. */
  readonly navigation?: {
    readonly group: 'Messaging' | 'Settings';
    readonly label: string;
    readonly icon: Icon;
    /** More words by which the command palette finds it. */
    readonly keywords?: readonly string[];
  };
}

/** Every page behind sign-in, in the order of the navigation. */
export const pages: readonly PageEntry[] = [
  {
    path: '/',
    load: () => import('../pages/home/home.page.js'),
    navigation: { group: 'Messaging', label: 'Home', icon: IconHome2, keywords: ['start', 'checklist', 'attention'] },
  },
  {
    path: '/inbox',
    load: () => import('../pages/inbox/inbox.page.js'),
    navigation: {
      group: 'Messaging',
      label: 'Inbox',
      icon: IconInbox,
      keywords: ['conversations', 'messages', 'reply'],
    },
  },
  {
    path: '/contacts',
    load: () => import('../pages/contacts/contacts.page.js'),
    navigation: { group: 'Messaging', label: 'Contacts', icon: IconAddressBook, keywords: ['people', 'opt-outs'] },
  },
];
