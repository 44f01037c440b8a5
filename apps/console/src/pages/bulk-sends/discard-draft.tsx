import { Button } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import type { ReactElement, RefObject } from 'react';
import { readable } from '../../ui/foreign-text.js';
import { bulkSendDraft } from './bulk-send-draft.js';

/**
 * Forgets the chosen file of a new bulk send, with all that was chosen for it.
 *
 * @param props.name of the file
 * @param props.next gets the focus: the button goes with the file
 */
export function DiscardDraft({
  name,
  isSending,
  next,
}: {
  readonly name: string;
  readonly isSending: boolean;
  readonly next: RefObject<HTMLElement | null>;
}): ReactElement {
  return (
    <Button
      variant="default"
      leftSection={<IconTrash size={16} aria-hidden />}
      aria-label={`Discard ${readable(name)}`}
      disabled={isSending}
      onClick={() => {
        next.current?.focus();
        bulkSendDraft.discard();
      }}
    >
      Discard
    </Button>
  );
}
