import type { Cuid } from '../grammar/cuid.js';
import { defineRpc } from '../grammar/define-rpc.js';
import type { IsoTime } from '../grammar/iso-time.js';

/** Steps of a message, in plain words. Source: docs/api-behaviour.md#timeline. */
export const timelineSteps = [
  'accepted',
  'received',
  'waiting',
  'handed to the provider',
  'not handed to the provider',
  'refused',
  'retry scheduled',
  'outcome unknown',
  'sent',
  'failed',
  'delivered',
  'read',
  'webhook informed',
  'webhook not informed',
  'webhook pending',
  'webhooks not available',
] as const;
/** One of `timelineSteps`. */
export type TimelineStep = (typeof timelineSteps)[number];

/** A step of a message as services answer it. It holds no text, token or phone number. */
export interface TimelineItem {
  /** When it happened. */
  readonly at: IsoTime;
  /** What happened, in plain words. */
  readonly what: TimelineStep;
  /** The same in a sentence, with codes, ids and times; for people, its wording may change. */
  readonly detail: string;
}

/** What messaging knows of the steps of a message, in order. @throws MESSAGE_NOT_FOUND */
export const getTimelineRpc = defineRpc<{ readonly id: Cuid }, { readonly items: readonly TimelineItem[] }>(
  'messaging',
  'get-timeline',
  { deadlineMs: 5_000 },
);
