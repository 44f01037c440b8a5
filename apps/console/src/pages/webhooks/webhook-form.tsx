import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useState, type FormEvent, type ReactElement } from 'react';
import type { Webhook } from '../../api/api.generated.js';
import { RequestKey } from '../../api/request-key.js';
import { useChange } from '../../api/use-api.js';
import { BusyButton } from '../../ui/busy-button.js';
import { Dialog } from '../../ui/dialog.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { EventChoice } from './event-choice.js';
import { eventTypes, type EventType } from './event-types.js';
import { changesOf } from './webhook-changes.js';

/** The form of a webhook, for a new one or for changes. */
export function WebhookForm({
  webhook,
  onClose,
  onCreated,
}: {
  /** Left out: a new one. */
  readonly webhook?: Webhook;
  readonly onClose: () => void;
  readonly onCreated?: (webhook: Webhook) => void;
}): ReactElement {
  // As it was when the form was opened: a colleague may change it meanwhile.
  const [before] = useState(webhook);
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [description, setDescription] = useState(webhook?.description ?? '');
  const [events, setEvents] = useState<readonly EventType[]>(webhook?.events ?? eventTypes.map(({ type }) => type));
  const [requestKey] = useState(() => new RequestKey());
  const refreshes = ['listWebhooks', 'getWebhook'] as const;
  const create = useChange('createWebhook', {
    refreshes,
    isQuiet: true,
    done: 'The webhook is registered.',
    onDone: (made) => {
      onClose();
      onCreated?.(made);
    },
  });
  const change = useChange('changeWebhook', { refreshes, isQuiet: true, done: 'Saved.', onDone: onClose });
  const { error, isPending } = webhook ? change : create;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const body = { url, events: [...events], description: description === '' ? null : description };
    if (!before) return create.mutate({ body, headers: requestKey.headersOf(body) });
    const changes = changesOf(before, body);
    if (Object.keys(changes).length === 0) return onClose();
    change.mutate({ path: { id: before.id }, body: changes });
  };
  return (
    <Dialog onClose={onClose} title={webhook ? 'Edit webhook' : 'Add a webhook'} size="lg">
      <form onSubmit={submit}>
        <Stack>
          {error && <ProblemAlert title="Not saved" problem={error} />}
          <TextInput
            label="Address"
            description="A public HTTPS address. It must answer 2xx within 10 seconds."
            placeholder="https://example.com/webhooks"
            required
            type="url"
            maxLength={2048}
            data-autofocus
            value={url}
            onChange={(event) => setUrl(event.currentTarget.value)}
          />
          <TextInput
            label="Description"
            description="For you and your colleagues"
            maxLength={256}
            value={description}
            onChange={(event) => setDescription(event.currentTarget.value)}
          />
          <EventChoice chosen={events} onChange={setEvents} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <BusyButton type="submit" loading={isPending} disabled={events.length === 0 || url.trim() === ''}>
              {webhook ? 'Save' : 'Add webhook'}
            </BusyButton>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
