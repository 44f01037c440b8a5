import { Alert, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconEye, IconRefresh } from '@tabler/icons-react';
import { useRef, useState, useSyncExternalStore, type ReactElement } from 'react';
import type { WebhookSecret } from '../../api/api.generated.js';
import { call } from '../../api/call.js';
import { problemOf, type Problem } from '../../api/problem.js';
import { useChange, useRead } from '../../api/use-api.js';
import { BusyButton } from '../../ui/busy-button.js';
import { ConfirmDialog } from '../../ui/confirm-dialog.js';
import { CopyLine } from '../../ui/copyable.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { fullTime } from '../../ui/time.js';
import { previousSignsUntil, rotateOnce, rotationOf, settleRotation, watchRotations } from './secret-rotation.js';

const DAY_MS = 86_400_000;
const POLL_MS = 5_000;
const UNREAD = 'Whether it was rotated less than a day ago could not be read.';

/** The secret that signs a webhook's requests: shown on demand, replaced with a day of overlap. Both acts are in the audit log. */
export function SecretPanel({ id }: { readonly id: string }): ReactElement {
  // Not in the cache of answers: it goes with this panel.
  const [seen, setSeen] = useState<{ readonly secret: WebhookSecret; readonly made: number } | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isAsking, asking] = useDisclosure(false);
  const rotateButton = useRef<HTMLButtonElement>(null);
  const { state, made } = useSyncExternalStore(watchRotations, () => rotationOf(id));
  const shown = state === 'idle' && seen?.made === made ? seen.secret : null;
  const earlier = useEarlierRotation(id, isAsking, shown !== null);
  const rotate = useChange('rotateWebhookSecret', {
    make: (input) => rotateOnce(id, () => call('rotateWebhookSecret', input)),
    isQuiet: true,
    // The next one is warned of by it.
    refreshes: ['listAuditLog'],
    done: 'The secret is replaced.',
    onDone: (secret) => {
      setSeen({ secret, made: rotationOf(id).made });
      asking.close();
    },
  });
  const reveal = async (): Promise<void> => {
    setProblem(null);
    const before = rotationOf(id).made;
    try {
      const secret = await call('getWebhookSecret', { path: { id } });
      settleRotation(id);
      rotate.reset();
      asking.close();
      setSeen({ secret, made: before });
      // The button that was pressed goes.
      rotateButton.current?.focus();
    } catch (error) {
      setProblem(problemOf(error));
    }
  };
  // By a colleague, or in another tab.
  const isReplaced = shown !== null && earlier.until !== null && earlier.until > (shown.previousSecretValidUntil ?? '');
  const secret = isReplaced ? null : shown;
  return (
    <Paper withBorder p="lg">
      <Stack gap="sm">
        <Text fw={600}>Signing secret</Text>
        <Text size="sm" c="dimmed">
          Each request is signed with it. Verify the signature before you trust a request.
        </Text>
        {problem && <ProblemAlert problem={problem} />}
        {state === 'doubtful' && (
          <Alert color="yellow" variant="light" title="The secret may have been replaced">
            No answer said so. Reveal the present secret before you rotate again: a second rotation would end the one
            that your system has.
          </Alert>
        )}
        {isReplaced && (
          <Alert role="status" color="yellow" variant="light" title="The secret has been replaced meanwhile">
            The one that was shown here is the previous one now.
          </Alert>
        )}
        {secret && <CopyLine value={secret.secret} label="Copy the secret" />}
        {secret?.previousSecretValidUntil && (
          <Alert color="blue" variant="light">
            Until {fullTime(secret.previousSecretValidUntil)} requests carry a signature by the previous secret too.
          </Alert>
        )}
        <Group>
          {!secret && (
            <Button
              variant="default"
              leftSection={<IconEye size={16} aria-hidden />}
              onClick={() => void reveal()}
              disabled={state === 'pending'}
            >
              Reveal
            </Button>
          )}
          <BusyButton
            ref={rotateButton}
            variant="default"
            leftSection={<IconRefresh size={16} aria-hidden />}
            onClick={asking.open}
            loading={state === 'pending'}
            disabled={state === 'doubtful'}
          >
            Rotate
          </BusyButton>
        </Group>
      </Stack>
      <ConfirmDialog
        isOpen={isAsking && state !== 'doubtful'}
        title="Rotate the secret?"
        act="Rotate secret"
        isDangerous={false}
        isPending={state === 'pending' || earlier.isReading}
        problem={rotate.error}
        onConfirm={() => rotate.mutate({ path: { id } })}
        onClose={asking.close}
      >
        A new secret signs from now on. For 24 hours the previous one signs too, so that your system can change over
        without a gap.
        {earlier.warning !== null && (
          <Alert color="yellow" variant="light" mt="sm">
            {earlier.warning}
          </Alert>
        )}
      </ConfirmDialog>
    </Paper>
  );
}

/**
 * What to know of a rotation of the last day: its overlap ends with the next one, and a secret that was shown before it is no longer the
 * present one. The audit log has it without showing a secret.
 */
function useEarlierRotation(
  id: string,
  isAsking: boolean,
  isShown: boolean,
): {
  readonly isReading: boolean;
  readonly warning: string | null;
  /** When the overlap of the last rotation ends; null when none is under way. */
  readonly until: string | null;
} {
  // Of when the panel was shown: a day before that is no less than is asked for.
  const [since] = useState(() => new Date(Date.now() - DAY_MS).toISOString());
  const query = { action: 'webhook.secret-rotated', since, limit: 100 } as const;
  const options = { enabled: isAsking || isShown, pollMs: !isAsking && isShown && POLL_MS };
  const entries = useRead('listAuditLog', { query }, options);
  const isReading = isAsking && entries.isFetching;
  const until = previousSignsUntil(entries.data?.items ?? [], id, Date.now());
  return { isReading, warning: entries.error ? UNREAD : until && overlapWarning(until), until };
}

function overlapWarning(until: string): string {
  return (
    `It was rotated less than a day ago, and the secret before that signs until ${fullTime(until)}. Rotating now ends ` +
    'that: a system that still verifies with it would refuse every request.'
  );
}
