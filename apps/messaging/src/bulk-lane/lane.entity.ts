import type { LaneHeldReason } from '@switchboard/contracts/messaging/bulk-events';
import type { TemplateParameters } from '@switchboard/contracts/messaging/template-parameters';

/** Names a job of an organization. */
export interface LaneKey {
  readonly organizationId: string;
  readonly jobId: string;
}

/** Names a channel of an organization. */
export interface ChannelKey {
  readonly organizationId: string;
  readonly channelId: string;
}

/** Names a recipient of a job. */
export interface ItemKey extends LaneKey {
  readonly recipientIndex: number;
}

/** A recipient of a job with the message that there may be. */
export interface RecipientKey extends ItemKey {
  readonly messageId: string;
}

/** What the message of a bulk item will be. */
export interface ItemContent {
  readonly template: { readonly id: string; readonly name: string; readonly language: string };
  readonly parameters: TemplateParameters;
  readonly text: string;
  readonly clientReference: string | null;
  readonly metadata: Readonly<Record<string, string>> | null;
}

/** A recipient that lies in its lane. */
export interface LaneItem extends RecipientKey {
  /** E.164 as given. */
  readonly phone: string;
  readonly content: ItemContent;
  /** When it has not begun by then it never does; null: no such time. */
  readonly expiresAt: Date | null;
}

/** A lane's hold, with what an event of it names. */
export interface HeldLane extends LaneKey {
  readonly channelId: string | null;
  readonly reason: LaneHeldReason;
}
