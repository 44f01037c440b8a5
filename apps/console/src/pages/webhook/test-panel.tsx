import { Alert, Group, Paper, Stack, Text } from '@mantine/core';
import { IconCheck, IconSend2, IconX } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { WebhookTestResult } from '../../api/api.generated.js';
import { useChange } from '../../api/use-api.js';
import { BusyButton } from '../../ui/busy-button.js';
import { readable } from '../../ui/foreign-text.js';
import { refusedWords } from './refused-words.js';
import { ResponseBody } from './response-body.js';

/** Sends one `webhook.test` and shows what came back. */
export function TestPanel({ id }: { readonly id: string }): ReactElement {
  const test = useChange('testWebhook', { refreshes: ['listWebhookAttempts'] });
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Group justify="space-between">
          <div>
            <Text fw={600} size="sm">
              Test event
            </Text>
            <Text size="xs" c="dimmed">
              One signed <code>webhook.test</code>, right now. It never counts as a failure.
            </Text>
          </div>
          <BusyButton
            size="xs"
            variant="light"
            leftSection={<IconSend2 size={15} aria-hidden />}
            loading={test.isPending}
            onClick={() => test.mutate({ path: { id } })}
          >
            Send test
          </BusyButton>
        </Group>
        {test.data && <Result result={test.data} />}
      </Stack>
    </Paper>
  );
}

function Result({ result }: { readonly result: WebhookTestResult }): ReactElement {
  const { delivered, responseStatus, responseBody, error, durationMs } = result;
  return (
    <Alert
      role="status"
      color={delivered ? 'teal' : 'red'}
      variant="light"
      icon={delivered ? <IconCheck aria-hidden /> : <IconX aria-hidden />}
      title={delivered ? `Delivered: ${responseStatus} in ${durationMs} ms` : `Not delivered after ${durationMs} ms`}
    >
      {error !== null && <Text size="sm">{readable(error)}</Text>}
      {!delivered && responseStatus !== null && <Text size="sm">{refusedWords(responseStatus)}</Text>}
      <ResponseBody body={responseBody} />
    </Alert>
  );
}
