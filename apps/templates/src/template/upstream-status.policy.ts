import type { TemplateStatus } from '@switchboard/contracts/templates/http';

/** The upstream's words, in its list and in its events; every other one (FLAGGED, IN_APPEAL, LIMIT_EXCEEDED) changes nothing. */
const STATUSES: ReadonlyMap<string, TemplateStatus> = new Map([
  ['DRAFT', 'DRAFT'],
  ['PENDING', 'PENDING'],
  ['APPROVED', 'APPROVED'],
  ['REINSTATED', 'APPROVED'],
  ['UNPAUSED', 'APPROVED'],
  ['REJECTED', 'REJECTED'],
  ['PAUSED', 'PAUSED'],
  ['LOCKED', 'PAUSED'],
  ['DISABLED', 'DISABLED'],
  ['DELETED', 'DISABLED'],
  ['PENDING_DELETION', 'DISABLED'],
  ['ARCHIVED', 'DISABLED'],
]);
/** Statuses that are worth an event. Source: docs/api-behaviour.md#template-status. */
const ANNOUNCED: ReadonlySet<TemplateStatus> = new Set(['APPROVED', 'REJECTED', 'PAUSED', 'DISABLED']);

/**
 * The status that a word of the upstream means; null when it means none.
 *
 * Source: provider's "message_template_status_update" webhook and "Template list" reference.
 */
export function statusOfUpstream(word: string): TemplateStatus | null {
  return STATUSES.get(word.toUpperCase()) ?? null;
}

/** Whether the change of a known template to this status is an event. */
export function isAnnounced(status: TemplateStatus): boolean {
  return ANNOUNCED.has(status);
}
