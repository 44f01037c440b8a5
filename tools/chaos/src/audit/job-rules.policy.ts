import type { JobView, RecipientView } from '@switchboard/contracts/templates/job-http';
import type { UpstreamRequest } from '../ledger/ledgers.js';
import type { Finding } from './finding.js';

/** A message of a job, as messaging has it. */
export interface JobMessage {
  readonly id: string;
  readonly recipientIndex: number;
  readonly status: string;
}

/** What is known of one job at rest, by those who know it independently. */
export interface JobLedger {
  /** How many recipients the caller named; all of them different subscribers. */
  readonly total: number;
  /** Every reading of the job while it ran; the last one at rest. */
  readonly readings: readonly Pick<JobView, 'status' | 'total' | 'counts'>[];
  /** As the API lists them. */
  readonly recipients: readonly RecipientView[];
  readonly messages: readonly JobMessage[];
  /** The upstream's log. */
  readonly requests: readonly UpstreamRequest[];
}

/**
 * Compares a job's ledger with the messages and with the upstream's log, recipient by recipient: each named once, none
 * lost, none sent twice, and counts that add up at every reading.
 */
export function jobFindings(ledger: JobLedger): readonly Finding[] {
  return [...sumFindings(ledger), ...recipientFindings(ledger), ...messageFindings(ledger)];
}

function sumFindings({ total, readings, recipients }: JobLedger): Finding[] {
  const findings: Finding[] = [];
  for (const { counts, total: shown, status } of readings) {
    const sum = Object.values(counts).reduce((all, count) => all + count, 0);
    if (sum === total && shown === total) continue;
    findings.push({ rule: 'job.sum', detail: `${status}: ${JSON.stringify(counts)} is ${sum} of ${total}` });
  }
  const last = readings.at(-1);
  const byStatus = Object.groupBy(recipients, ({ status }) => status);
  for (const [name, count] of Object.entries(last?.counts ?? {})) {
    const listed = byStatus[name.toUpperCase() as RecipientView['status']]?.length ?? 0;
    if (listed === count) continue;
    findings.push({ rule: 'job.sum', detail: `${count} are counted as ${name}, ${listed} are listed so` });
  }
  if (last?.status !== 'COMPLETED') findings.push({ rule: 'never-quiet', detail: `the job is ${last?.status}` });
  return findings;
}

function recipientFindings({ total, recipients, messages }: JobLedger): Finding[] {
  const findings: Finding[] = [];
  const indexes = new Set(recipients.map(({ index }) => index));
  if (indexes.size !== total || recipients.length !== total) {
    findings.push({ rule: 'job.lost', detail: `${indexes.size} recipients are listed of ${total}` });
  }
  const byIndex = Map.groupBy(messages, ({ recipientIndex }) => recipientIndex);
  for (const { index, status, messageId } of recipients) {
    const own = byIndex.get(index) ?? [];
    const detail = `recipient ${index} is ${status}; messages ${own.map((one) => `${one.id} ${one.status}`).join(', ')}`;
    if (own.length > 1) findings.push({ rule: 'job.doubled', detail });
    if (status === 'SKIPPED' ? own.length > 0 : own.length === 0) findings.push({ rule: 'job.lost', detail });
    else if (own[0] && !agrees(status, own[0], messageId)) findings.push({ rule: 'job.disagrees', detail });
  }
  return findings;
}

/** Of an unknown outcome the message still says QUEUED; before there is an outcome the recipient names no message. */
function agrees(status: RecipientView['status'], message: JobMessage, messageId: string | null): boolean {
  const isNamed = status === 'QUEUED' ? messageId === null : message.id === messageId;
  return isNamed && message.status === (status === 'UNCONFIRMED' ? 'QUEUED' : status);
}

function messageFindings({ messages, requests }: JobLedger): Finding[] {
  const byReference = Map.groupBy(requests, ({ reference }) => reference);
  const findings: Finding[] = [];
  for (const { id, recipientIndex, status } of messages) {
    const accepted = (byReference.get(id) ?? []).filter((request) => request.messageId !== null);
    const detail = `recipient ${recipientIndex}, ${id} ${status}: accepted ${accepted.length} times by the upstream`;
    if (accepted.length > 1) findings.push({ rule: 'job.doubled', detail });
    const isConfirmed = status === 'SENT' || status === 'DELIVERED' || status === 'READ';
    if (isConfirmed && accepted.length === 0) findings.push({ rule: 'job.lost', detail });
  }
  return findings;
}
