import { Alert, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconEye, IconRefresh } from '@tabler/icons-react';
import { useRef, useState, type ReactElement } from 'react';
import type { WebhookSecret } from '../../api/api.generated.js';
import { call } from '../../api/call.js';
import { problemOf, type Problem } from '../../api/problem.js';
import { useChange, useRead } from '../../api/use-api.js';
import { ConfirmDialog } from '../../ui/confirm-dialog.js';
import { CopyLine } from '../../ui/copyable.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { fullTime } from '../../ui/time.js';
import { isRotationInDoubt, previousSignsUntil, rotateOnce, settleRotation } from './secret-rotation.js';

const DAY_MS = 86_400_000;

/** The secret that signs a webhook's requests: shown on demand, replaced with a day of overlap. Both acts are in the audit log. */
export function SecretPanel({ id }: { readonly id: string }): ReactElement {
  // Not in the cache of answers: it goes with this panel.
  const [secret, setSecret] = useState<WebhookSecret | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isAsking, asking] = useDisclosure(false);
  const rotations = useRef(0);
  const rotate = useChange('rotateWebhookSecret', {
    make: (input) => rotateOnce(id, () => call('rotateWebhookSecret', input)),
    isQuiet: true,
    done: 'The secret is replaced.',
    onDone: (made) => {
      rotations.current++;
      setSecret(made);
      asking.close();
    },
  });
  const isInDoubt = !rotate.isPending && isRotationInDoubt(id);
  const reveal = async (): Promise<void> => {
    setProblem(null);
    const before = rotations.current;
    try {
      const shown = await call('getWebhookSecret', { path: { id } });
      // An answer from before a rotation is not the present secret.
      if (rotations.current !== before) return;
      settleRotation(id);
      rotate.reset();
      asking.close();
      setSecret(shown);
    } catch (error) {
      setProblem(problemOf(error));
    }
  };
  return (
    <Paper withBorder p="lg">
      <Stack gap="sm">
        <Text fw={600}>Signing secret</Text>
        <Text size="sm" c="dimmed">
          Each request is signed with it. Verify the signature before you trust a request.
        </Text>
        {problem && <ProblemAlert problem={problem} />}
        {isInDoubt && (
          <Alert color="yellow" variant="light" title="The secret may have been replaced">
            No answer said so. Reveal the present secret before you rotate again: a second rotation would end the one
            that your system has.
          </Alert>
        )}
        {secret && !isInDoubt && <CopyLine value={secret.secret} label="Copy the secret" />}
        {secret?.previousSecretValidUntil && (
          <Alert color="blue" variant="light">
            Until {fullTime(secret.previousSecretValidUntil)} requests carry a signature by the previous secret too.
          </Alert>
        )}
        <Group>
          {(!secret || isInDoubt) && (
            <Button variant="default" leftSection={<IconEye size={16} aria-hidden />} onClick={() => void reveal()}>
              Reveal
            </Button>
          )}
          <Button
            variant="default"
            leftSection={<IconRefresh size={16} aria-hidden />}
            onClick={asking.open}
            disabled={isInDoubt}
          >
            Rotate
          </Button>
        </Group>
      </Stack>
      <ConfirmDialog
        isOpen={isAsking && !isInDoubt}
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
        {isAsking && <EarlierRotation id={id} />}
      </ConfirmDialog>
    </Paper>
  );
}

/** Warns of a rotation of the last day: its overlap ends with the next one. The audit log shows it without showing a secret. */
function EarlierRotation({ id }: { readonly id: string }): ReactElement | null {
  const [openedMs] = useState(() => Date.now());
  const since = new Date(openedMs - DAY_MS).toISOString();
  const entries = useRead('listAuditLog', { query: { action: 'webhook.secret-rotated', since, limit: 100 } });
  const until = previousSignsUntil(entries.data?.items ?? [], id, openedMs);
  if (until === null) return null;
  return (
    <Alert color="yellow" variant="light" mt="sm">
      It was rotated less than a day ago, and the secret before that signs until {fullTime(until)}. Rotating now ends
      that: a system that still verifies with it would refuse every request.
    </Alert>
  );
}
