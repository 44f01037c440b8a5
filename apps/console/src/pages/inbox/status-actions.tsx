import { Button, Group, Menu } from '@mantine/core';
import { IconArchive, IconCheck, IconClock, IconHourglass, IconRotate } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Conversation } from '../../api/api.generated.js';
import { useChange } from '../../api/use-api.js';
import { BusyButton } from '../../ui/busy-button.js';
import { inPlainWords } from '../../ui/status-badge.js';
import { conversationsKey, showConversation, type Status } from './inbox-data.js';

/** Where a conversation may go by hand. Source: docs/api-behaviour.md#conversation-status. */
const moves: Readonly<Record<Status, readonly Status[]>> = {
  OPEN: ['CLOSED', 'SNOOZED', 'PENDING'],
  PENDING: ['OPEN', 'CLOSED', 'SNOOZED'],
  SNOOZED: ['OPEN', 'CLOSED', 'SNOOZED', 'PENDING'],
  CLOSED: ['OPEN', 'ARCHIVED'],
  ARCHIVED: ['OPEN'],
};

const HOUR_MS = 3_600_000;
const snoozes = [
  ['For an hour', () => new Date(Date.now() + HOUR_MS)],
  ['For three hours', () => new Date(Date.now() + 3 * HOUR_MS)],
  ['Until tomorrow at 9', () => morning(1)],
  ['Until next week', () => morning(7)],
] as const;

const buttons = {
  OPEN: ['Reopen', IconRotate],
  CLOSED: ['Close', IconCheck],
  PENDING: ['Set pending', IconHourglass],
  ARCHIVED: ['Archive', IconArchive],
} as const;

/** The buttons that move a conversation: only moves that are possible. */
export function StatusActions({ conversation }: { readonly conversation: Conversation }): ReactElement {
  const client = useQueryClient();
  const change = useChange('changeConversation', {
    done: ({ status }) => `The conversation is ${inPlainWords(status).toLowerCase()}`,
    onDone: (changed) => {
      showConversation(client, changed);
      void client.invalidateQueries({ queryKey: conversationsKey(changed.status) });
    },
  });
  const { id, status } = conversation;
  const move = (to: Status, until?: Date): void =>
    change.mutate({ path: { id }, body: { status: to, ...(until && { snoozedUntil: until.toISOString() }) } });
  return (
    <Group gap="xs">
      {moves[status].map((to) => {
        if (to === 'SNOOZED') {
          return (
            <Menu key={to} position="bottom-end" withinPortal>
              <Menu.Target>
                <Button size="xs" variant="default" leftSection={<IconClock size={14} aria-hidden />}>
                  Snooze
                </Button>
              </Menu.Target>
              <Menu.Dropdown>
                {snoozes.map(([label, until]) => (
                  <Menu.Item key={label} onClick={() => move('SNOOZED', until())}>
                    {label}
                  </Menu.Item>
                ))}
                <Menu.Item onClick={() => move('SNOOZED')}>Until they write</Menu.Item>
              </Menu.Dropdown>
            </Menu>
          );
        }
        const [label, Symbol] = buttons[to];
        return (
          <BusyButton
            key={to}
            size="xs"
            variant={to === 'CLOSED' ? 'light' : 'default'}
            leftSection={<Symbol size={14} aria-hidden />}
            loading={change.isPending && change.variables?.body.status === to}
            onClick={() => move(to)}
          >
            {label}
          </BusyButton>
        );
      })}
    </Group>
  );
}

function morning(days: number): Date {
  const date = new Date();
  date.setDate(date.getDate() + days);
  date.setHours(9, 0, 0, 0);
  return date;
}
