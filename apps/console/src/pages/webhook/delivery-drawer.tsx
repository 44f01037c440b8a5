import { Group, Paper, Stack, Text } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useId, type ReactElement } from 'react';
import type { WebhookAttempt, WebhookDelivery } from '../../api/api.generated.js';
import { useChange, useRead } from '../../api/use-api.js';
import { BusyButton } from '../../ui/busy-button.js';
import { CodeBlock } from '../../ui/copyable.js';
import { SideDialog } from '../../ui/dialog.js';
import { readable } from '../../ui/foreign-text.js';
import { QueryView } from '../../ui/query-view.js';
import { inPlainWords, StatusBadge, type Tone } from '../../ui/status-badge.js';
import { fullTime } from '../../ui/time.js';
import { ResponseBody } from './response-body.js';

const tones: Readonly<Record<WebhookDelivery['state'], Tone>> = {
  PENDING: 'busy',
  SUCCEEDED: 'good',
  FAILED: 'bad',
  DROPPED: 'quiet',
};

/** One delivery: the request's body, each attempt with its response, and sending it again. */
export function DeliveryDrawer({
  webhookId,
  deliveryId,
  isActive,
  onClose,
}: {
  readonly webhookId: string;
  readonly deliveryId: string;
  /** The webhook: to one that is deactivated nothing is delivered again. */
  readonly isActive: boolean;
  readonly onClose: () => void;
}): ReactElement {
  const path = { id: webhookId, deliveryId };
  const whyNotId = useId();
  const delivery = useRead('getWebhookDelivery', { path }, { pollMs: 3_000 });
  const again = useChange('redeliverWebhook', {
    refreshes: ['getWebhookDelivery', 'listWebhookAttempts'],
    done: 'It is being delivered again.',
  });
  return (
    <SideDialog onClose={onClose} position="right" size="lg" title="Delivery">
      <QueryView query={delivery}>
        {({ event, state, nextAttemptAt, payload, attempts }) => {
          const refusal = whyNot(isActive, payload);
          return (
            <Stack>
              <Group justify="space-between">
                <Group gap="xs">
                  <Text fw={600}>{event}</Text>
                  <StatusBadge tone={tones[state]}>{inPlainWords(state)}</StatusBadge>
                </Group>
                {/* A test is not kept: the next one is a test of its own. */}
                {event !== 'webhook.test' && (
                  <BusyButton
                    size="xs"
                    variant="light"
                    leftSection={<IconRefresh size={15} aria-hidden />}
                    loading={again.isPending}
                    disabled={refusal !== null}
                    aria-describedby={whyNotId}
                    onClick={() => again.mutate({ path })}
                  >
                    Re-deliver
                  </BusyButton>
                )}
              </Group>
              {event !== 'webhook.test' && (
                <Text id={whyNotId} size="sm" c="dimmed" hidden={refusal === null}>
                  {refusal}
                </Text>
              )}
              {nextAttemptAt !== null && (
                <Text size="sm" c="dimmed">
                  Next attempt {fullTime(nextAttemptAt)}
                </Text>
              )}
              <Text size="sm" fw={500}>
                Request body
              </Text>
              <CodeBlock
                code={payload === null ? 'It is no longer kept.' : readable(JSON.stringify(payload, null, 2))}
                label="Request body"
              />
              <Text size="sm" fw={500}>
                Attempts
              </Text>
              {attempts.map((attempt) => (
                <Attempt key={attempt.id} attempt={attempt} />
              ))}
            </Stack>
          );
        }}
      </QueryView>
    </SideDialog>
  );
}

/** Why a delivery cannot be sent again; null when it can. Source: docs/api-behaviour.md#webhooks-manage. */
function whyNot(isActive: boolean, payload: WebhookDelivery['payload']): string | null {
  if (!isActive) return 'The webhook is deactivated. Re-enable it first.';
  return payload === null ? 'Its event is no longer kept.' : null;
}

function Attempt({ attempt }: { readonly attempt: WebhookAttempt }): ReactElement {
  const { outcome, responseStatus, responseBody, error, at, durationMs } = attempt;
  return (
    <Paper withBorder p="sm">
      <Group gap="xs">
        <StatusBadge tone={outcome === 'SUCCEEDED' ? 'good' : 'bad'}>
          {responseStatus === null ? 'No answer' : String(responseStatus)}
        </StatusBadge>
        <Text size="sm">
          Attempt {attempt.attempt}, {fullTime(at)}, {durationMs} ms
        </Text>
      </Group>
      {error !== null && (
        <Text size="sm" c="red" mt={6}>
          {readable(error)}
        </Text>
      )}
      <ResponseBody body={responseBody} />
    </Paper>
  );
}
