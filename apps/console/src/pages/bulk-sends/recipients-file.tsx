import { Button, FileButton, Group, Input, Text } from '@mantine/core';
import { IconFileUpload } from '@tabler/icons-react';
import { useRef, type ReactElement } from 'react';
import { bulkSendDraft, type ChosenFile } from './bulk-send-draft.js';
import { parseCsv, rowWords, type CsvTable } from './csv.js';
import { DiscardDraft } from './discard-draft.js';
import { textOfFile } from './file-text.js';

/** Chooses the file of recipients of a new bulk send, another one, or none. */
export function RecipientsFile({
  file,
  isSending,
}: {
  readonly file: ChosenFile | null;
  readonly isSending: boolean;
}): ReactElement {
  const resetFile = useRef<() => void>(null);
  const fileButton = useRef<HTMLButtonElement>(null);
  const read = (picked: File | null): void => {
    if (!picked) return;
    // Browsers say nothing of the same file once more, which is how a corrected one is chosen.
    resetFile.current?.();
    bulkSendDraft.choose(picked.name, tableOf(picked));
  };
  return (
    <Input.Wrapper label="Recipients" labelElement="div">
      <Group gap="sm">
        <FileButton onChange={read} resetRef={resetFile} accept=".csv,text/csv,text/plain">
          {(props) => (
            <Button
              {...props}
              ref={fileButton}
              variant="default"
              leftSection={<IconFileUpload size={16} aria-hidden />}
              disabled={isSending}
            >
              {file ? 'Choose another file' : 'Choose a CSV file'}
            </Button>
          )}
        </FileButton>
        <Text size="sm" c="dimmed">
          {file ? `${file.name}: ${rowWords(file.table)}` : 'Headings in the first row'}
        </Text>
        {file && <DiscardDraft name={file.name} isSending={isSending} next={fileButton} />}
      </Group>
    </Input.Wrapper>
  );
}

/** @throws Error that says what is wrong with the file */
async function tableOf(picked: File): Promise<CsvTable> {
  const bytes = await picked.arrayBuffer().catch(() => {
    throw new Error('The file cannot be read.');
  });
  return parseCsv(textOfFile(bytes));
}
