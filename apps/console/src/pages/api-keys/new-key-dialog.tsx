import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconBulb } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { NewApiKey } from '../../api/api.generated.js';
import { CodeBlock, CopyLine } from '../../ui/copyable.js';
import { Dialog } from '../../ui/dialog.js';

/** A new key with its secret, this once, and a request that works with it; only its button closes it. */
export function NewKeyDialog({
  apiKey,
  onClose,
}: {
  readonly apiKey: NewApiKey;
  readonly onClose: () => void;
}): ReactElement {
  return (
    <Dialog onClose={onClose} title="Your new key" size="lg" isShownOnce>
      <Stack>
        <Alert color="yellow" variant="light" icon={<IconAlertTriangle aria-hidden />} title="Copy it now">
          The key is shown this once and is not stored. If it gets lost, create another one.
        </Alert>
        <CopyLine value={apiKey.secret} label="Copy the key" />
        <Text size="sm" fw={500}>
          Try it
        </Text>
        <CodeBlock code={exampleFor(apiKey, location.origin)} label="A request with this key" />
        {apiKey.hint !== null && (
          <Alert color="blue" variant="light" icon={<IconBulb aria-hidden />}>
            {apiKey.hint}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button onClick={onClose}>I have kept it</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

/** The first request that the key's scopes allow; every key may ask who it is. */
function exampleFor({ secret, scopes }: Pick<NewApiKey, 'secret' | 'scopes'>, origin: string): string {
  const authorization = `-H 'Authorization: Bearer ${secret}'`;
  if (scopes === null || scopes.includes('messages:send')) {
    const body = JSON.stringify({ to: '+14155550123', text: 'Hello from Switchboard' });
    return `curl ${origin}/v1/messages \\\n  ${authorization} \\\n  -H 'Content-Type: application/json' \\\n  -d '${body}'`;
  }
  if (scopes.includes('analytics:read')) return `curl '${origin}/v1/analytics/usage' \\\n  ${authorization}`;
  return `curl ${origin}/v1/ping \\\n  ${authorization}`;
}
