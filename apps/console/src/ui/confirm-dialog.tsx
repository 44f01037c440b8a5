import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import type { Problem } from '../api/problem.js';
import { BusyButton } from './busy-button.js';
import { Dialog } from './dialog.js';
import { ProblemAlert } from './problem-alert.js';

/** Asks before something that cannot be taken back. */
export function ConfirmDialog({
  isOpen,
  title,
  children,
  act,
  isPending,
  problem,
  isDangerous = true,
  onConfirm,
  onClose,
}: {
  readonly isOpen: boolean;
  readonly title: string;
  /** What will happen. */
  readonly children: ReactNode;
  /** The button's words: a verb. */
  readonly act: string;
  readonly isPending: boolean;
  readonly problem?: Problem | null;
  readonly isDangerous?: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}): ReactElement | null {
  if (!isOpen) return null;
  return (
    <Dialog onClose={onClose} title={title}>
      <Stack>
        <Text size="sm" component="div">
          {children}
        </Text>
        {problem && <ProblemAlert problem={problem} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <BusyButton color={isDangerous ? 'red' : undefined} loading={isPending} onClick={onConfirm}>
            {act}
          </BusyButton>
        </Group>
      </Stack>
    </Dialog>
  );
}
