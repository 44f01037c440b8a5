import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import type { Problem } from '../api/problem.js';
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
}): ReactElement {
  return (
    <Modal opened={isOpen} onClose={onClose} title={title}>
      <Stack>
        <Text size="sm" component="div">
          {children}
        </Text>
        {problem && <ProblemAlert problem={problem} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button color={isDangerous ? 'red' : undefined} loading={isPending} onClick={onConfirm}>
            {act}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
