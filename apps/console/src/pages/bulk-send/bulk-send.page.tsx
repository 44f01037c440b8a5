import { Alert, Button, Group, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconAlertOctagon, IconPlayerPause, IconPlayerPlay, IconX } from '@tabler/icons-react';
import { useState, type ReactElement, type ReactNode } from 'react';
import type { Job } from '../../api/api.generated.js';
import { useChange, useRead } from '../../api/use-api.js';
import { BusyButton } from '../../ui/busy-button.js';
import { ConfirmDialog } from '../../ui/confirm-dialog.js';
import { PageFrame } from '../../ui/page.js';
import { QueryView } from '../../ui/query-view.js';
import { StaleNote } from '../../ui/stale-note.js';
import { Time, fullTime } from '../../ui/time.js';
import { usePathId } from '../../ui/use-path-id.js';
import { countParts, heldSentence, JobBar, JobStatus } from '../bulk-sends/job-status.js';
import { RecipientList } from './recipient-list.js';

const list = { to: '/bulk-sends', label: 'Bulk sends' };
const refreshes = ['getJob', 'listJobs', 'listRecipients'] as const;

/** One bulk send: live progress, what can be done with it, and its recipients. */
export function Page(): ReactElement {
  const id = usePathId();
  // Another bulk send begins anew: the former one is not shown, nor paused or canceled, in its place.
  return <JobPage key={id} id={id} />;
}

function JobPage({ id }: { readonly id: string }): ReactElement {
  const job = useRead('getJob', { path: { id } }, { pollMs: 2_000 });
  if (job.data) return <JobView job={job.data} note={<StaleNote reads={[job]} />} />;
  return (
    <PageFrame title="Bulk send" back={list}>
      <QueryView query={job}>{() => null}</QueryView>
    </PageFrame>
  );
}

function JobView({ job, note }: { readonly job: Job; readonly note: ReactNode }): ReactElement {
  const template = useRead('getTemplate', { path: { id: job.templateId } });
  const reason = heldSentence(job);
  const isMoving = job.status === 'RUNNING' || job.status === 'QUEUED';
  return (
    <PageFrame
      title={template.data?.name ?? 'Bulk send'}
      tabTitle="Bulk send"
      description={`${job.total.toLocaleString('en')} recipients${job.throttlePerHour === null ? '' : `, at most ${job.throttlePerHour.toLocaleString('en')} an hour`}`}
      back={list}
      actions={<Acts job={job} />}
    >
      {note}
      {reason !== null && (
        <Alert color="yellow" variant="light" icon={<IconAlertOctagon aria-hidden />} title="This bulk send is held">
          {reason}
        </Alert>
      )}
      <Paper withBorder p="lg">
        <Stack gap="md">
          <Group justify="space-between">
            <Group gap="sm">
              <JobStatus job={job} />
              <Text size="sm" c="dimmed" component="div">
                {job.completedAt !== null ? (
                  <>
                    Completed <Time at={job.completedAt} />
                  </>
                ) : isMoving && job.estimatedCompletionAt !== null ? (
                  `Ends about ${fullTime(job.estimatedCompletionAt)}`
                ) : job.status === 'SCHEDULED' && job.scheduledAt !== null ? (
                  `Starts ${fullTime(job.scheduledAt)}`
                ) : null}
              </Text>
            </Group>
            <Text size="sm" fw={600} aria-live="polite">
              {Math.floor(((job.total - job.counts.queued) / job.total) * 100)} %
            </Text>
          </Group>
          <JobBar job={job} size="xl" />
          <SimpleGrid cols={{ base: 2, xs: 4, md: 7 }}>
            {countParts.map(({ key, label }) => (
              <div key={key}>
                <Text size="xs" c="dimmed">
                  {label}
                </Text>
                <Text fw={650}>{job.counts[key].toLocaleString('en')}</Text>
              </div>
            ))}
          </SimpleGrid>
        </Stack>
      </Paper>
      <RecipientList job={job} />
    </PageFrame>
  );
}

function Acts({ job }: { readonly job: Job }): ReactElement {
  const [isAsking, setAsking] = useState(false);
  const path = { id: job.id };
  const pause = useChange('pauseJob', { refreshes, done: 'Paused: nothing goes out until it is resumed.' });
  const resume = useChange('resumeJob', { refreshes, done: 'It goes on.' });
  const cancel = useChange('cancelJob', {
    refreshes,
    isQuiet: true,
    done: 'Canceled: the rest is skipped.',
    onDone: () => setAsking(false),
  });
  const isOver = job.status === 'COMPLETED' || job.status === 'CANCELED';
  const canPause = ['SCHEDULED', 'QUEUED', 'RUNNING', 'HELD'].includes(job.status);
  const canResume = job.status === 'PAUSED' || job.heldReason === 'SPAM_LIMIT' || job.heldReason === 'CHANNEL_BLOCKED';
  if (isOver) return <></>;
  return (
    <>
      {canPause && (
        <BusyButton
          variant="default"
          leftSection={<IconPlayerPause size={16} aria-hidden />}
          loading={pause.isPending}
          onClick={() => pause.mutate({ path })}
        >
          Pause
        </BusyButton>
      )}
      {canResume && (
        <BusyButton
          leftSection={<IconPlayerPlay size={16} aria-hidden />}
          loading={resume.isPending}
          onClick={() => resume.mutate({ path })}
        >
          Resume
        </BusyButton>
      )}
      <Button variant="default" leftSection={<IconX size={16} aria-hidden />} onClick={() => setAsking(true)}>
        Cancel
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        title="Cancel this bulk send?"
        act="Cancel the rest"
        isPending={cancel.isPending}
        problem={cancel.error}
        onConfirm={() => cancel.mutate({ path })}
        onClose={() => setAsking(false)}
      >
        {job.counts.queued.toLocaleString('en')} recipients that have not been reached are skipped, for good. What was
        sent stays sent.
      </ConfirmDialog>
    </>
  );
}
