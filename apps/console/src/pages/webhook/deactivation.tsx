import { Alert, Button, Stack, Text } from '@mantine/core';
import { IconAlertOctagon, IconHistory } from '@tabler/icons-react';
import { useState, type ReactElement } from 'react';
import type { Webhook } from '../../api/api.generated.js';
import { useChange, useRead } from '../../api/use-api.js';
import { BusyButton } from '../../ui/busy-button.js';
import { focusPage } from '../../ui/focus.js';
import { ForeignText } from '../../ui/foreign-text.js';
import { fullTime } from '../../ui/time.js';
import { isReplayed, lastEnabling, missedFrom } from './missed-events.js';
import { ReplayDialog } from './replay-dialog.js';

/** The id of the words that describe what is disabled for a deactivated webhook. */
export const WHY_DEACTIVATED = 'why-deactivated';
/** Events are kept for so long at least: what was missed before it may be gone. Source: docs/api-behaviour.md#webhooks-replay. */
const OFFERED_MS = 7 * 86_400_000;

/** Why a webhook is deactivated, and what makes it active again. */
export function Deactivated({ webhook }: { readonly webhook: Webhook }): ReactElement {
  const enable = useChange('enableWebhook', {
    refreshes: ['getWebhook', 'listWebhooks', 'listWebhookAttempts', 'listAuditLog'],
    done: 'The webhook is active again.',
    onDone: focusPage,
  });
  return (
    <Alert color="red" variant="light" icon={<IconAlertOctagon aria-hidden />} title="This webhook is deactivated">
      <Stack gap="sm" align="flex-start">
        <Text id={WHY_DEACTIVATED} size="sm" component="div">
          {webhook.deactivatedReason !== null && (
            <>
              Why: <ForeignText fw={550}>{webhook.deactivatedReason}</ForeignText>.{' '}
            </>
          )}
          {webhook.deactivatedAt !== null &&
            `Since ${fullTime(webhook.deactivatedAt)} no event is queued for it; deliveries that waited were dropped. `}
          Mend the receiver, re-enable the webhook, then replay what it missed.
        </Text>
        <BusyButton
          size="xs"
          color="red"
          loading={enable.isPending}
          onClick={() => enable.mutate({ path: { id: webhook.id } })}
        >
          Re-enable
        </BusyButton>
      </Stack>
    </Alert>
  );
}

/**
 * What to do once it is enabled again: events of the time before were not queued, and those that waited were dropped. Offered over
 * reloads, and to colleagues, until it is replayed or the events are no longer kept.
 */
export function Missed({ webhook }: { readonly webhook: Webhook }): ReactElement | null {
  const missed = useMissedUntil(webhook.id);
  // It stays while its dialog is open, whatever is read meanwhile, and goes with the replay.
  const [replaying, setReplaying] = useState<string | null>(null);
  const [replayed, setReplayed] = useState<string | null>(null);
  const enabledAt = replaying ?? missed;
  if (enabledAt === null || enabledAt === replayed) return null;
  return (
    <Alert color="blue" variant="light" icon={<IconHistory aria-hidden />} title="The webhook is active again">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          It was deactivated until {fullTime(enabledAt)}. Events of that time, and earlier ones whose deliveries failed
          or waited, were not delivered.
        </Text>
        <Button size="xs" onClick={() => setReplaying(enabledAt)}>
          Replay what it missed
        </Button>
      </Stack>
      {replaying !== null && (
        <ReplayDialog
          webhook={webhook}
          from={missedFrom(webhook.createdAt, enabledAt)}
          onReplayed={() => setReplayed(enabledAt)}
          onClose={() => setReplaying(null)}
        />
      )}
    </Alert>
  );
}

/**
 * When an active webhook was enabled again, while what it had missed until then is kept and has not been replayed; else null, and as long
 * as that is not known. The audit log says so, as a webhook that is active has no record of former times.
 */
function useMissedUntil(id: string): string | null {
  const [since] = useState(() => new Date(Date.now() - OFFERED_MS).toISOString());
  const enabled = useRead('listAuditLog', { query: { action: 'webhook.enabled', since, limit: 100 } });
  const enabling = lastEnabling(enabled.data?.items ?? [], id);
  const options = { enabled: enabling !== null };
  const deactivated = useRead('listAuditLog', { query: { action: 'webhook.deactivated', limit: 100 } }, options);
  const replayed = useRead('listAuditLog', { query: { action: 'webhook.replayed', since, limit: 100 } }, options);
  if (!enabling || !deactivated.data || !replayed.data) return null;
  return isReplayed(enabling, [...deactivated.data.items, ...replayed.data.items]) ? null : enabling.at;
}
