import { Progress, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Job } from '../../api/api.generated.js';
import { inPlainWords, StatusBadge, type Tone } from '../../ui/status-badge.js';

const tones: Readonly<Record<Job['status'], Tone>> = {
  SCHEDULED: 'quiet',
  QUEUED: 'busy',
  RUNNING: 'busy',
  PAUSED: 'warning',
  HELD: 'bad',
  COMPLETED: 'good',
  CANCELED: 'quiet',
};

/** Each group of recipients, in the order in which they come about; the colors of a job's bar. */
export const countParts: readonly {
  readonly key: keyof Job['counts'];
  readonly label: string;
  readonly color: string;
}[] = [
  { key: 'read', label: 'Read', color: 'indigo.7' },
  { key: 'delivered', label: 'Delivered', color: 'teal.6' },
  { key: 'sent', label: 'Sent', color: 'cyan.5' },
  { key: 'unconfirmed', label: 'Unconfirmed', color: 'yellow.6' },
  { key: 'failed', label: 'Failed', color: 'red.6' },
  { key: 'skipped', label: 'Skipped', color: 'gray.5' },
  { key: 'queued', label: 'Queued', color: 'gray.3' },
];

const held: Readonly<Record<string, string>> = {
  TEMPLATE_NOT_APPROVED: 'The template is not approved at the moment. It goes on by itself once it is.',
  CHANNEL_DISCONNECTED: 'The channel is disconnected. Reconnect it under Settings → Channels; it goes on by itself.',
  QUOTA: 'The plan’s number of messages is used up. It goes on by itself once there are some left.',
  SUBSCRIPTION: 'The subscription is not active. It goes on by itself once it is.',
  SPAM_LIMIT: 'The provider limits this number because of complaints. Wait, then resume.',
  CHANNEL_BLOCKED: 'The provider blocks this number or account. Settle it there, then resume.',
};

/** The status of a job in a word. */
export function JobStatus({ job }: { readonly job: Job }): ReactElement {
  return <StatusBadge tone={tones[job.status]}>{inPlainWords(job.status)}</StatusBadge>;
}

/** Why a job is held, and what ends that. */
export function heldSentence(job: Pick<Job, 'heldReason'>): string | null {
  return job.heldReason === null ? null : (held[job.heldReason] ?? inPlainWords(job.heldReason));
}

/** How far a job is: recipients by what became of them. */
export function JobBar({ job, size = 'md' }: { readonly job: Job; readonly size?: 'md' | 'xl' }): ReactElement {
  const done = job.total - job.counts.queued;
  return (
    <div>
      <Progress.Root size={size} radius="xl" aria-label={`${done} of ${job.total} recipients are done`}>
        {countParts.map(({ key, label, color }) =>
          job.counts[key] === 0 ? null : (
            <Progress.Section
              key={key}
              value={(job.counts[key] / job.total) * 100}
              color={color}
              aria-label={`${label}: ${job.counts[key]}`}
            />
          ),
        )}
      </Progress.Root>
      {size === 'md' && (
        <Text size="xs" c="dimmed" mt={4}>
          {done.toLocaleString('en')} of {job.total.toLocaleString('en')}
        </Text>
      )}
    </div>
  );
}
