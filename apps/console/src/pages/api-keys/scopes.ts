/** A permission of a key, as people choose it. */
export interface ScopeChoice {
  readonly scope: string;
  readonly text: string;
}

/** Every scope, by what it is about. Source: docs/api-behaviour.md#scopes. */
export const scopeGroups: readonly { readonly name: string; readonly scopes: readonly ScopeChoice[] }[] = [
  {
    name: 'Messages',
    scopes: [
      { scope: 'messages:send', text: 'Send messages' },
      { scope: 'messages:read', text: 'Read messages, those of conversations too' },
    ],
  },
  {
    name: 'Conversations',
    scopes: [
      { scope: 'conversations:read', text: 'Read conversations' },
      { scope: 'conversations:write', text: 'Close, reopen and snooze conversations' },
    ],
  },
  {
    name: 'Contacts and opt-outs',
    scopes: [
      { scope: 'contacts:read', text: 'Read contacts' },
      { scope: 'contacts:write', text: 'Create, change and erase contacts' },
      { scope: 'opt_outs:read', text: 'Read opt-outs' },
      { scope: 'opt_outs:write', text: 'Record and remove opt-outs' },
    ],
  },
  {
    name: 'Templates and bulk sends',
    scopes: [
      { scope: 'templates:read', text: 'Read templates and bulk sends' },
      { scope: 'templates:send', text: 'Start, pause, resume and cancel bulk sends' },
    ],
  },
  {
    name: 'Everything else',
    scopes: [
      { scope: 'analytics:read', text: 'Read figures' },
      { scope: 'channels:read', text: 'Read channels' },
      { scope: 'events:read', text: 'Read the feed of events' },
    ],
  },
];

/** A set of scopes that many keys need; null: all, also those that are added later. */
export interface Preset {
  readonly name: string;
  readonly text: string;
  readonly scopes: readonly string[] | null;
}

/** The presets of the form. */
export const presets: readonly Preset[] = [
  { name: 'Full access', text: 'Everything that the API offers, later scopes too', scopes: null },
  { name: 'Send messages only', text: 'For a system that notifies and reads nothing', scopes: ['messages:send'] },
  { name: 'Read-only analytics', text: 'For dashboards and reports', scopes: ['analytics:read'] },
];

/** Whether two sets are the same. */
export function isSameSet(a: readonly string[] | null, b: readonly string[] | null): boolean {
  if (a === null || b === null) return a === b;
  return a.length === b.length && a.every((one) => b.includes(one));
}
