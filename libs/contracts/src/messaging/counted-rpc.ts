import type { Cuid } from '../grammar/cuid.js';
import { defineRpc } from '../grammar/define-rpc.js';
import type { Int } from '../grammar/int.js';
import type { IsoTime } from '../grammar/iso-time.js';
import type { MessageFacts, MessageStatus } from './message-facts.js';

/** What is counted of a message: no text, number or name of a person. */
export interface CountedMessage {
  readonly id: Cuid;
  readonly messagingChannelId: Cuid;
  readonly contactId: Cuid;
  readonly direction: MessageFacts['direction'];
  readonly template: MessageFacts['template'];
  readonly status: MessageStatus;
  readonly error: { readonly code: string } | null;
  readonly sentAt: IsoTime | null;
  readonly deliveredAt: IsoTime | null;
  readonly readAt: IsoTime | null;
  /**
   * The number of the last event of its conversation, from the same moment: the message is as all events up to it say, and
   * only one with a higher `sequence` is newer.
   */
  readonly sequence: Int;
}

/** A page of an organization's messages. */
export interface ListCountedRequest {
  /** The id behind which the page begins; null: with the oldest that is kept. */
  readonly after: Cuid | null;
  /** 1 to 1,000. */
  readonly limit: Int;
}

/** What messaging answers. */
export interface CountedPage {
  /** Of the organization, as figures count them, oldest first; fewer than `limit` are the last. */
  readonly messages: readonly CountedMessage[];
  /** The beginning of ids from which on every message is kept; older ones may be missing. Absent from an older release. */
  readonly keptFrom?: string;
}

/** A page of messages behind an id. */
export const listCountedRpc = defineRpc<ListCountedRequest, CountedPage>('messaging', 'list-counted', {
  deadlineMs: 5_000,
});
