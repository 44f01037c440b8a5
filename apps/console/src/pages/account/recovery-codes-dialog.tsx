import { Alert, Button, Group, Stack } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { CodeBlock } from '../../ui/copyable.js';
import { download } from '../../ui/csv-file.js';
import { Dialog } from '../../ui/dialog.js';

/** Shows new recovery codes, this once; only its button closes it, so that no stray click loses them. */
export function RecoveryCodesDialog({
  codes,
  onClose,
}: {
  readonly codes: readonly string[];
  readonly onClose: () => void;
}): ReactElement {
  const text = codes.join('\n');
  return (
    <Dialog onClose={onClose} title="Keep your recovery codes" isShownOnce>
      <Stack>
        <Alert color="yellow" variant="light">
          They are shown this once. Each signs you in one time without the authenticator app: keep them where you find
          them when the app is lost.
        </Alert>
        <CodeBlock code={text} label="Copy the recovery codes" />
        <Group justify="space-between">
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            onClick={() => download('switchboard-recovery-codes.txt', `${text}\n`, 'text/plain')}
          >
            Download
          </Button>
          <Button onClick={onClose}>I have kept them</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
