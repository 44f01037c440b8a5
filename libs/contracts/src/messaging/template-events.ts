import { defineEvent } from '../grammar/define-event.js';

/**
 * The upstream refused a send because of its template, in its answer or in a status afterwards: 132015 paused, 132016 disabled,
 * 132001 not found in this language.
 *
 * Emitted once per refusal; the organization is the sender's.
 *
 * @aggregate business account
 */
export const templateRefused = defineEvent<{
  readonly businessAccountId: string;
  readonly name: string;
  readonly language: string;
  readonly reason: 'PAUSED' | 'DISABLED' | 'NOT_FOUND';
}>('messaging', 'template.refused', 1);
