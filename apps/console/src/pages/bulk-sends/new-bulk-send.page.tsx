import { Alert, Group, Paper, Select, SimpleGrid, Stack } from '@mantine/core';
import { IconAlertTriangle, IconSend2 } from '@tabler/icons-react';
import { useRouterState, useSearch } from '@tanstack/react-router';
import { useLayoutEffect, useRef, useSyncExternalStore, type ReactElement } from 'react';
import { useRead } from '../../api/use-api.js';
import { BusyButton } from '../../ui/busy-button.js';
import { PageFrame } from '../../ui/page.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { useReadProblem } from '../../ui/read-problem.js';
import { bulkSendDraft, type BulkSendDraftState } from './bulk-send-draft.js';
import { ChannelField } from './channel-field.js';
import { FaultList } from './fault-list.js';
import { FirstMessages } from './first-messages.js';
import { MappingForm } from './mapping-form.js';
import { RecipientsFile } from './recipients-file.js';
import { sendBodyOf } from './send-body.js';
import { SendProblem } from './send-problem.js';
import { SendSummary } from './send-summary.js';
import { sendWords } from './send-words.js';
import { startOf } from './start-time.js';
import { TimingFields } from './timing-fields.js';
import { useApprovedTemplates } from './use-approved-templates.js';
import { useChannelChoice } from './use-channel-choice.js';
import { useMappedFile } from './use-mapped-file.js';
import { useSend } from './use-send.js';

/** A new bulk send: template, file, columns, a look at real messages, then sending. */
export function Page(): ReactElement {
  const draft = useOpenedDraft();
  const { templateId, file, throttle, scheduled, isSending, problem } = draft;
  const usage = useRead('getUsage', {});
  const startField = useRef<HTMLInputElement>(null);
  const choice = useApprovedTemplates(templateId);
  const { template } = choice;
  const from = useChannelChoice(template, draft.channelId);
  const unread = useReadProblem(choice.read, from.read);
  const { mapping, mapped } = useMappedFile(template, draft);
  const recipients = mapped?.recipients ?? [];
  const send = useSend(recipients);
  const submit = (): void => {
    if (!template || !mapped || !from.chosen) return;
    // A date without a time is an empty value, which would send at once; the browser says at the field what is missing.
    if (startField.current?.reportValidity() === false) return;
    const start = startOf(scheduled);
    if (scheduled !== '' && !start) return;
    const { id: channelId } = from.chosen;
    // Chosen from now on: another default channel would make another body, and so a second job, of what is sent again in doubt.
    bulkSendDraft.write({ channelId });
    send.mutate({ body: sendBodyOf(template, recipients, { channelId, throttle, start }) });
  };
  const count = recipients.length;
  const isReady = from.chosen !== undefined && from.problem === null && count > 0 && mapped?.faults.length === 0;
  return (
    <PageFrame title="New bulk send" back={{ to: '/bulk-sends', label: 'Bulk sends' }}>
      {unread.problem && (
        <ProblemAlert title="What can be sent could not be read" problem={unread.problem} onRetry={unread.onRetry} />
      )}
      <Paper withBorder p="lg">
        <Stack>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <Select
              label="Template"
              placeholder={choice.placeholder}
              error={choice.error}
              onSearchChange={choice.onSearch}
              nothingFoundMessage={choice.nothingFound}
              searchable
              required
              value={templateId}
              onChange={(value) => bulkSendDraft.write({ templateId: value, mapping: null })}
              data={choice.options}
            />
            <RecipientsFile file={file} isSending={isSending} />
            <ChannelField from={from} />
          </SimpleGrid>
          {draft.fileProblem !== null && (
            <Alert color="red" variant="light" icon={<IconAlertTriangle aria-hidden />} title="The file cannot be used">
              {draft.fileProblem}
            </Alert>
          )}
          {template && file && mapping && (
            <MappingForm
              headings={file.table.headings}
              template={template}
              mapping={mapping}
              onChange={(chosen) => bulkSendDraft.write({ mapping: chosen })}
            />
          )}
        </Stack>
      </Paper>
      {mapped && mapped.faults.length > 0 && <FaultList faults={mapped.faults} />}
      {template && count > 0 && <FirstMessages template={template} recipients={recipients} />}
      <Paper withBorder p="lg">
        <TimingFields draft={draft} startField={startField} />
        <Group justify="space-between" mt="lg">
          <SendSummary from={from} count={count} left={usage.data?.quota.left ?? null} />
          <BusyButton
            leftSection={<IconSend2 size={16} aria-hidden />}
            disabled={!isReady}
            loading={isSending}
            onClick={submit}
          >
            {sendWords(count, scheduled)}
          </BusyButton>
        </Group>
      </Paper>
      {problem && <SendProblem problem={problem} body={draft.body} />}
    </PageFrame>
  );
}

/** The draft, which the page's address may give a template. */
function useOpenedDraft(): BulkSendDraftState {
  const search = useSearch({ strict: false }) as { readonly template?: string };
  const draft = useSyncExternalStore(bulkSendDraft.subscribe, bulkSendDraft.read);
  const visit = useRouterState({ select: ({ location }) => location.state.__TSR_key ?? location.href });
  useLayoutEffect(() => bulkSendDraft.open(search.template, visit), [search.template, visit]);
  return draft;
}
