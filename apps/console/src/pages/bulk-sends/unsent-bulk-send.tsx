import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useSyncExternalStore, type ReactElement, type RefObject } from 'react';
import { readable } from '../../ui/foreign-text.js';
import { LinkTo } from '../../ui/link-to.js';
import { bulkSendDraft } from './bulk-send-draft.js';
import { rowWords } from './csv.js';
import { DiscardDraft } from './discard-draft.js';
import { SendProblem } from './send-problem.js';

/**
 * The new bulk send whose page was left: that it is not sent yet, is under way, or has failed. Nothing when there is none.
 *
 * @param props.next gets the focus when it is discarded
 */
export function UnsentBulkSend({ next }: { readonly next: RefObject<HTMLElement | null> }): ReactElement | null {
  const { file, isSending, problem, body } = useSyncExternalStore(bulkSendDraft.subscribe, bulkSendDraft.read);
  if (!file) return null;
  return (
    <>
      {problem && <SendProblem problem={problem} body={body} />}
      <Alert
        role="status"
        color="blue"
        variant="light"
        title={isSending ? 'A bulk send is under way' : 'A bulk send is not sent yet'}
      >
        <Stack gap="xs" align="flex-start">
          <Text size="sm">{`${readable(file.name)}: ${rowWords(file.table)}`}</Text>
          <Group gap="sm">
            <Button component={LinkTo} to="/bulk-sends/new" variant="default">
              Continue
            </Button>
            <DiscardDraft name={file.name} isSending={isSending} next={next} />
          </Group>
        </Stack>
      </Alert>
    </>
  );
}
