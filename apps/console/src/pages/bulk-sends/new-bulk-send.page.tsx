import {
  Alert,
  Button,
  FileButton,
  Group,
  Input,
  NumberInput,
  Paper,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { IconAlertTriangle, IconFileUpload, IconSend2 } from '@tabler/icons-react';
import { useRouter, useRouterState, useSearch } from '@tanstack/react-router';
import { useEffect, useLayoutEffect, useMemo, useRef, useSyncExternalStore, type ReactElement } from 'react';
import { problemOf } from '../../api/problem.js';
import { useChange, useRead } from '../../api/use-api.js';
import { BusyButton } from '../../ui/busy-button.js';
import { readable } from '../../ui/foreign-text.js';
import { showProblem } from '../../ui/notices.js';
import { PageFrame } from '../../ui/page.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { useReadProblem } from '../../ui/read-problem.js';
import { TemplatePreview } from '../templates/template-preview.js';
import { bulkSendDraft } from './bulk-send-draft.js';
import { channelWords, isConnected, type ChannelChoice } from './channel-choice.js';
import { parseCsv, rowWords, type CsvTable } from './csv.js';
import { DiscardDraft } from './discard-draft.js';
import { FaultList } from './fault-list.js';
import { textOfFile } from './file-text.js';
import { MappingForm } from './mapping-form.js';
import { inRows, mapRecipients, suggestMapping } from './recipients.js';
import { acceptedWords } from './send-in-bulk.js';
import { SendProblem } from './send-problem.js';
import { sendWords } from './send-words.js';
import { latestStart, startOf } from './start-time.js';
import { useApprovedTemplates } from './use-approved-templates.js';
import { useChannelChoice } from './use-channel-choice.js';

const PREVIEWS = 3;

/** A new bulk send: template, file, columns, a look at real messages, then sending. */
export function Page(): ReactElement {
  const search = useSearch({ strict: false }) as { readonly template?: string };
  const router = useRouter();
  const usage = useRead('getUsage', {});
  const draft = useSyncExternalStore(bulkSendDraft.subscribe, bulkSendDraft.read);
  const { templateId, channelId, file, throttle, scheduled, isSending, problem } = draft;
  const visit = useRouterState({ select: ({ location }) => location.state.__TSR_key ?? location.href });
  useLayoutEffect(() => bulkSendDraft.open(search.template, visit), [search.template, visit]);
  const isShown = useIsShown();
  const resetFile = useRef<() => void>(null);
  const startField = useRef<HTMLInputElement>(null);
  const fileButton = useRef<HTMLButtonElement>(null);
  const send = useChange('sendTemplate', {
    make: ({ body }) => {
      const sending = bulkSendDraft.send(body, (message) => inRows(message, mapped?.recipients ?? []));
      sending.catch((error: unknown) => !isShown.current && showProblem(problemOf(error)));
      return sending;
    },
    refreshes: ['listJobs', 'getPlan'],
    isQuiet: true,
    done: acceptedWords,
    onDone: ({ id }) => {
      if (isShown.current) void router.navigate({ to: `/bulk-sends/${id}` as '/' });
    },
  });
  const choice = useApprovedTemplates(templateId);
  const { template } = choice;
  const from = useChannelChoice(template, channelId);
  const unread = useReadProblem(choice.read, from.read);
  const mapping = useMemo(
    () => (template && file ? (draft.mapping ?? suggestMapping(file.table, template)) : null),
    [template, file, draft.mapping],
  );
  const mapped = useMemo(
    () => (template && file && mapping && mapping.to !== null ? mapRecipients(file.table, mapping, template) : null),
    [template, file, mapping],
  );
  const read = (picked: File | null): void => {
    if (!picked) return;
    // Browsers say nothing of the same file once more, which is how a corrected one is chosen.
    resetFile.current?.();
    bulkSendDraft.choose(picked.name, tableOf(picked));
  };
  const submit = (): void => {
    if (!template || !mapped || !from.chosen) return;
    // A date without a time is an empty value, which would send at once; the browser says at the field what is missing.
    if (startField.current?.reportValidity() === false) return;
    const start = startOf(scheduled);
    if (scheduled !== '' && !start) return;
    const isNamed = template.parameterFormat === 'NAMED';
    const recipients = mapped.recipients.map(({ to, values }) => ({
      to,
      ...(values.length === 0
        ? {}
        : {
            variables: isNamed
              ? Object.fromEntries(values.map((value, index) => [template.variables[index]?.name ?? '', value]))
              : values,
          }),
    }));
    const options = {
      ...(throttle === '' ? {} : { throttlePerHour: throttle }),
      ...(start ? { scheduledAt: start.toISOString() } : {}),
    };
    // Chosen from now on: another default channel would make another body, and so a second job, of what is sent again in doubt.
    bulkSendDraft.write({ channelId: from.chosen.id });
    send.mutate({
      body: { templateId: template.id, messagingChannelId: from.chosen.id, recipients, ...options },
    });
  };
  const count = mapped?.recipients.length ?? 0;
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
            {from.channels.length > 1 && (
              <Select
                label="Channel"
                placeholder="Choose one"
                required
                allowDeselect={false}
                value={from.chosen?.id ?? null}
                onChange={(value) => bulkSendDraft.write({ channelId: value })}
                data={from.channels.map((channel) => ({
                  value: channel.id,
                  label: readable(`${channelWords(channel)}${isConnected(channel) ? '' : ' (disconnected)'}`),
                  disabled: !isConnected(channel),
                }))}
              />
            )}
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
      {template && mapped && count > 0 && (
        <Paper withBorder p="lg">
          <Text fw={600} mb="sm">
            The first messages
          </Text>
          <SimpleGrid cols={{ base: 1, sm: 3 }}>
            {mapped.recipients.slice(0, PREVIEWS).map(({ line, to, values }) => (
              <div key={line}>
                <Text size="xs" c="dimmed" mb={4}>
                  Row {line}: {to}
                </Text>
                <TemplatePreview template={template} values={values} />
              </div>
            ))}
          </SimpleGrid>
        </Paper>
      )}
      <Paper withBorder p="lg">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            ref={startField}
            type="datetime-local"
            label="Start"
            description="Empty: at once. At most 35 days ahead."
            max={latestStart(new Date())}
            value={scheduled}
            onChange={(event) => bulkSendDraft.write({ scheduled: event.currentTarget.value })}
          />
          <NumberInput
            label="Messages an hour at most"
            description="Empty: as fast as the channel allows"
            min={1}
            max={1_000_000}
            allowDecimal={false}
            thousandSeparator=","
            value={throttle}
            onChange={(value) => bulkSendDraft.write({ throttle: typeof value === 'number' ? value : '' })}
          />
        </SimpleGrid>
        <Group justify="space-between" mt="lg">
          <div>
            <Sender from={from} />
            <Cost count={count} left={usage.data?.quota.left ?? null} />
          </div>
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

/** @throws Error that says what is wrong with the file */
async function tableOf(picked: File): Promise<CsvTable> {
  const bytes = await picked.arrayBuffer().catch(() => {
    throw new Error('The file cannot be read.');
  });
  return parseCsv(textOfFile(bytes));
}

/** Whether the page is in the browser still, for what ends later. */
function useIsShown(): { readonly current: boolean } {
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => void (isShown.current = false);
  }, []);
  return isShown;
}

function Sender({ from: { chosen, problem } }: { readonly from: ChannelChoice }): ReactElement | null {
  const words = problem ?? (chosen ? `From ${channelWords(chosen)}` : null);
  if (words === null) return null;
  return (
    <Text size="sm" c={problem === null ? 'dimmed' : 'red'}>
      {readable(words)}
    </Text>
  );
}

function Cost({ count, left }: { readonly count: number; readonly left: number | null }): ReactElement {
  if (left === null) return <span />;
  return (
    <Text size="sm" c={count > left ? 'red' : 'dimmed'}>
      {count > left
        ? `The plan has ${left.toLocaleString('en')} messages left this month: ${count.toLocaleString('en')} are too many.`
        : `Takes ${count.toLocaleString('en')} of ${left.toLocaleString('en')} messages left this month.`}
    </Text>
  );
}
