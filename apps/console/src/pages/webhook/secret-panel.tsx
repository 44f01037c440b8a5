import { Alert, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconEye, IconRefresh } from '@tabler/icons-react';
import { useState, type ReactElement } from 'react';
import type { WebhookSecret } from '../../api/api.generated.js';
import { call } from '../../api/call.js';
import { problemOf, type Problem } from '../../api/problem.js';
import { useChange } from '../../api/use-api.js';
import { ConfirmDialog } from '../../ui/confirm-dialog.js';
import { CopyLine } from '../../ui/copyable.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { fullTime } from '../../ui/time.js';

/** The secret that signs a webhook's requests: shown on demand, replaced with a day of overlap. Both acts are in the audit log. */
export function SecretPanel({ id }: { readonly id: string }): ReactElement {
  // Not in the cache of answers: it goes with this panel.
  const [secret, setSecret] = useState<WebhookSecret | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isAsking, asking] = useDisclosure(false);
  const rotate = useChange('rotateWebhookSecret', {
    isQuiet: true,
    done: 'The secret is replaced.',
    onDone: (made) => {
      setSecret(made);
      asking.close();
    },
  });
  const reveal = (): void => {
    setProblem(null);
    call('getWebhookSecret', { path: { id } }).then(setSecret, (error: unknown) => setProblem(problemOf(error)));
  };
  return (
    <Paper withBorder p="lg">
      <Stack gap="sm">
        <Text fw={600}>Signing secret</Text>
        <Text size="sm" c="dimmed">
          Each request is signed with it. Verify the signature before you trust a request.
        </Text>
        {problem && <ProblemAlert problem={problem} />}
        {secret && <CopyLine value={secret.secret} label="Copy the secret" />}
        {secret?.previousSecretValidUntil && (
          <Alert color="blue" variant="light">
            Until {fullTime(secret.previousSecretValidUntil)} requests carry a signature by the previous secret too.
          </Alert>
        )}
        <Group>
          {!secret && (
            <Button variant="default" leftSection={<IconEye size={16} aria-hidden />} onClick={reveal}>
              Reveal
            </Button>
          )}
          <Button variant="default" leftSection={<IconRefresh size={16} aria-hidden />} onClick={asking.open}>
            Rotate
          </Button>
        </Group>
      </Stack>
      <ConfirmDialog
        isOpen={isAsking}
        title="Rotate the secret?"
        act="Rotate secret"
        isDangerous={false}
        isPending={rotate.isPending}
        problem={rotate.error}
        onConfirm={() => rotate.mutate({ path: { id } })}
        onClose={asking.close}
      >
        A new secret signs from now on. For 24 hours the previous one signs too, so that your system can change over
        without a gap.
      </ConfirmDialog>
    </Paper>
  );
}
