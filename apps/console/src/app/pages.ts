import {
  IconAddressBook,
  IconChartLine,
  IconHome2,
  IconInbox,
  IconKey,
  IconListDetails,
  IconPlugConnected,
  IconReceipt,
  IconSend2,
  IconTemplate,
  IconUserCircle,
  IconUsers,
  IconWebhook,
  type Icon,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';
import { ACCOUNT, managing, type Role } from '../api/session.js';

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
  {
    path: '/templates',
    load: () => import('../pages/templates/templates.page.js'),
    navigation: { group: 'Messaging', label: 'Templates', icon: IconTemplate },
  },
  {
    path: '/bulk-sends',
    load: () => import('../pages/bulk-sends/bulk-sends.page.js'),
    navigation: { group: 'Messaging', label: 'Bulk sends', icon: IconSend2, keywords: ['campaign', 'csv', 'jobs'] },
  },
  { path: '/bulk-sends/new', load: () => import('../pages/bulk-sends/new-bulk-send.page.js') },
  { path: '/bulk-sends/$id', load: () => import('../pages/bulk-send/bulk-send.page.js') },
  {
    path: '/analytics',
    load: () => import('../pages/analytics/analytics.page.js'),
    navigation: {
      group: 'Messaging',
      label: 'Analytics',
      icon: IconChartLine,
      keywords: ['figures', 'reports', 'charts'],
    },
  },
  {
    path: '/settings/keys',
    load: () => import('../pages/api-keys/api-keys.page.js'),
    roles: managing,
    navigation: { group: 'Settings', label: 'API keys', icon: IconKey, keywords: ['token', 'secret', 'scopes'] },
  },
  {
    path: '/settings/webhooks',
    load: () => import('../pages/webhooks/webhooks.page.js'),
    roles: managing,
    navigation: {
      group: 'Settings',
      label: 'Webhooks',
      icon: IconWebhook,
      keywords: ['events', 'deliveries', 'signature'],
    },
  },
  { path: '/settings/webhooks/$id', load: () => import('../pages/webhook/webhook.page.js'), roles: managing },
  {
    path: '/settings/channels',
    load: () => import('../pages/channels/channels.page.js'),
    roles: managing,
    navigation: {
      group: 'Settings',
      label: 'Channels',
      icon: IconPlugConnected,
      keywords: ['phone', 'numbers', 'lines'],
    },
  },
  {
    path: '/settings/members',
    load: () => import('../pages/members/members.page.js'),
    roles: managing,
    navigation: { group: 'Settings', label: 'Members', icon: IconUsers, keywords: ['people', 'invite', 'roles'] },
  },
  {
    path: '/settings/plan',
    load: () => import('../pages/plan/plan.page.js'),
    roles: managing,
    navigation: {
      group: 'Settings',
      label: 'Plan and usage',
      icon: IconReceipt,
      keywords: ['quota', 'billing', 'limits'],
    },
  },
  {
    path: '/settings/audit-log',
    load: () => import('../pages/audit-log/audit-log.page.js'),
    roles: managing,
    navigation: { group: 'Settings', label: 'Audit log', icon: IconListDetails, keywords: ['history', 'security'] },
  },
  {
    path: ACCOUNT,
    load: () => import('../pages/account/account.page.js'),
    navigation: {
      group: 'Settings',
      label: 'Your account',
      icon: IconUserCircle,
      keywords: ['password', 'sessions', 'profile', 'second factor', 'authenticator'],
    },
  },
];
