import { Alert, Button, Checkbox, Group, Stack, TextInput } from '@mantine/core';
import { useState, type FormEvent, type ReactElement } from 'react';
import type { Webhook } from '../../api/api.generated.js';
import { useChange } from '../../api/use-api.js';
import { BusyButton } from '../../ui/busy-button.js';
import { Dialog } from '../../ui/dialog.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { localTime, sinceOf } from './replay-period.js';

const HOUR_MS = 3_600_000;

/** Sends a period's events once more; counts them first. */
export function ReplayDialog({
  webhook,
  from,
  onReplayed,
  onClose,
}: {
  readonly webhook: Webhook;
  /** Where the period begins at first; left out: an hour ago. */
  readonly from?: string | null;
  readonly onReplayed?: () => void;
  readonly onClose: () => void;
}): ReactElement {
  const [proposed] = useState(() => from ?? new Date(Date.now() - HOUR_MS).toISOString());
  const [since, setSince] = useState(() => localTime(new Date(proposed)));
  const [until, setUntil] = useState('');
  const [onlyMissed, setOnlyMissed] = useState(true);
  const count = useChange('replayWebhook', { isQuiet: true });
  const replay = useChange('replayWebhook', {
    isQuiet: true,
    refreshes: ['listWebhookAttempts', 'listAuditLog'],
    done: ({ count: events }) => `${events} ${events === 1 ? 'event is' : 'events are'} being sent again.`,
    onDone: () => {
      onClose();
      onReplayed?.();
    },
  });
  const input = (dryRun: boolean) => ({
    path: { id: webhook.id },
    body: {
      since: sinceOf(since, proposed),
      ...(until === '' ? {} : { until: new Date(until).toISOString() }),
      onlyMissed,
      dryRun,
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (count.data) replay.mutate(input(false));
    else count.mutate(input(true));
  };
  const changed = (apply: () => void): void => {
    apply();
    count.reset();
  };
  const problem = replay.error ?? count.error;
  return (
    <Dialog onClose={onClose} title="Replay events">
      <form onSubmit={submit}>
        <Stack>
          {problem && <ProblemAlert problem={problem} />}
          <TextInput
            type="datetime-local"
            label="Since"
            description="Events are kept for at least 7 days"
            required
            value={since}
            onChange={(event) => changed(() => setSince(event.currentTarget.value))}
          />
          <TextInput
            type="datetime-local"
            label="Until"
            description="Empty: now"
            value={until}
            onChange={(event) => changed(() => setUntil(event.currentTarget.value))}
          />
          <Checkbox
            label="Only those that were never delivered"
            checked={onlyMissed}
            onChange={(event) => changed(() => setOnlyMissed(event.currentTarget.checked))}
          />
          {count.data && (
            <Alert role="status" variant="light">
              {count.data.count === 0
                ? 'No event fits: there is nothing to send.'
                : `${count.data.count} ${count.data.count === 1 ? 'event' : 'events'} will be sent again.`}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <BusyButton
              type="submit"
              loading={count.isPending || replay.isPending}
              disabled={since === '' || count.data?.count === 0}
            >
              {count.data ? 'Replay' : 'Count events'}
            </BusyButton>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
