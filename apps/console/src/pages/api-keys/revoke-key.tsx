import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactElement } from 'react';
import type { ApiKey } from '../../api/api.generated.js';
import { useChange } from '../../api/use-api.js';
import { ConfirmDialog } from '../../ui/confirm-dialog.js';
import { ForeignText, readable } from '../../ui/foreign-text.js';
import { inWords } from '../../ui/in-words.js';

/** The button that ends a key, after a question. */
export function RevokeKey({ apiKey }: { readonly apiKey: ApiKey }): ReactElement {
  const [isOpen, { open, close }] = useDisclosure(false);
  const revoke = useChange('revokeApiKey', {
    refreshes: ['listApiKeys'],
    done: `The key "${readable(apiKey.label)}" is revoked.`,
    isQuiet: true,
    onDone: close,
  });
  return (
    <>
      <Button
        size="xs"
        variant="subtle"
        color="red"
        onClick={open}
        aria-label={`Revoke the key ${readable(apiKey.label)}`}
      >
        Revoke
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        title="Revoke this key?"
        act="Revoke key"
        isPending={revoke.isPending}
        problem={revoke.error}
        onConfirm={() => revoke.mutate({ path: { id: apiKey.id } })}
        onClose={close}
      >
        Requests with <ForeignText fw={600}>{apiKey.label}</ForeignText> ({apiKey.prefix}…) are refused from then on,
        for good.{' '}
        {apiKey.lastUsedAt === null
          ? 'It has never been used.'
          : `It was last used ${inWords(new Date(apiKey.lastUsedAt), Date.now())}.`}
      </ConfirmDialog>
    </>
  );
}
