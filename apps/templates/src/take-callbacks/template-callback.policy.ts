import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import { callbackChange } from '@switchboard/contracts/gateway/events';
import type { StatusFact } from '../template/apply-status-facts.js';
import { statusOfUpstream } from '../template/upstream-status.policy.js';

/** What a change of a callback means for templates. */
export type CallbackPlan =
  | { readonly act: 'apply'; readonly fact: StatusFact }
  /** Not about the status of a template. */
  | { readonly act: 'skip' }
  | { readonly act: 'ignore'; readonly reason: 'unknown-event' | 'unreadable' };

const FIELD = 'message_template_status_update';
/** The upstream's times are whole seconds; what happened in one may have happened at its end. */
const SECOND_MS = 1_000;

/** Reads a change of a callback; never throws. Source: provider's "message_template_status_update" webhook. */
export function callbackPlan({ subject, occurredAt, data }: EventEnvelope): CallbackPlan {
  const change = subject === callbackChange.subject ? objectOf(data) : null;
  if (change?.['field'] !== FIELD) return { act: 'skip' };
  const value = objectOf(change['value']);
  const businessAccountId = textOf(change['businessAccountId']);
  const name = textOf(value?.['message_template_name']);
  const language = textOf(value?.['message_template_language']);
  const event = textOf(value?.['event']);
  if (!businessAccountId || !name || !language || !event) return { act: 'ignore', reason: 'unreadable' };
  const status = statusOfUpstream(event);
  if (status === null) return { act: 'ignore', reason: 'unknown-event' };
  const upstreamTemplateId = idOf(value?.['message_template_id']);
  const at = endOfSecond(new Date(occurredAt));
  const about = { organizationId: null, businessAccountId, name, language, upstreamTemplateId };
  return { act: 'apply', fact: { ...about, status, at } };
}

/** The list has it as text, the callback as an integer, which JSON may not have kept to the digit. */
function idOf(value: unknown): string | null {
  if (typeof value === 'string' && value !== '') return value;
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : null;
}

function endOfSecond(time: Date): Date {
  return time.getUTCMilliseconds() === 0 ? new Date(time.getTime() + SECOND_MS - 1) : time;
}

/** The database takes no NUL. */
function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && !value.includes('\u0000') ? value : null;
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null ? { ...value } : null;
}
