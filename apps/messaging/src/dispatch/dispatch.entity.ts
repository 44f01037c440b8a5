import type { Spacing } from '../bulk-lane/lane-pace.policy.js';
import type { TemplateParameters } from '@switchboard/contracts/messaging/template-parameters';

/** One marked attempt: whoever holds the lease makes the one request that it stands for. */
export interface Dispatch {
  readonly organizationId: string;
  readonly messageId: string;
  readonly channelId: string;
  readonly contactId: string;
  readonly recipientPhone: string;
  /** 1-based count of attempts, this one included. */
  readonly attempts: number;
  readonly lease: string;
}

/** The template that an attempt sends, and what its places are filled with. */
export interface AttemptTemplate {
  readonly name: string;
  readonly language: string;
  readonly parameters: TemplateParameters;
}

/** Why a marked attempt must not be made. */
export type AttemptRefusal = 'erased' | 'disconnected' | 'opted-out';

/** The turn of an attempt in the lane of its job. */
export interface AttemptLane {
  readonly jobId: string;
  /** The time that the attempt was claimed for, in epoch milliseconds by the database's clock. */
  readonly slotMs: number;
  /** The same in monotonic milliseconds of this process: never earlier, later by a round trip at most. */
  readonly beginAtMs: number;
  /** Of a throttled job. */
  readonly spacing: Spacing | null;
}

/** A marked attempt with all that the upstream needs. */
export interface Attempt extends Dispatch {
  /** Of a template, as rendered: shown, and not what is sent. */
  readonly text: string;
  /** Null for a text. */
  readonly template: AttemptTemplate | null;
  readonly phoneNumberId: string;
  /** The channel's token as it stood when the attempt was marked. */
  readonly accessTokenSealed: Buffer;
  /** What the projection holds as the recipient's upstream id. */
  readonly contactMessagingId: string;
  /** The number is of no contact that is known here: the message was accepted for one that had it. */
  readonly hasNoOwner?: boolean;
  /** Null for an interactive send. */
  readonly lane: AttemptLane | null;
  /** Monotonic milliseconds of this process, not later than the mark. */
  readonly markedMs: number;
}

/**
 * How old a message may be for later ones of its conversation to wait for it. Source: docs/api-behaviour.md#messages-order.
 */
export const ORDER_WITHIN_MS = 5 * 60_000;

/**
 * Milliseconds within which a marked attempt begins to leave, connecting included, or never does. An opt-out that waits
 * so long after its commit has no send behind it that begins later.
 */
export const BEGIN_WITHIN_MS = 2_000;

/** Milliseconds after the mark by when what has begun is at the upstream, with a busy machine's pauses; or never will be. */
export const ARRIVE_WITHIN_MS = BEGIN_WITHIN_MS + 300;

/**
 * Milliseconds for which a marked attempt belongs to who marked it: longer than `BEGIN_WITHIN_MS`, the longest request
 * to the upstream and the record of its outcome together.
 */
export const LEASE_MS = 45_000;

/** The longest deadline of a request that the lease covers, with 3 s for the record of what came of it. */
export const REQUEST_DEADLINE_MAX_MS = LEASE_MS - BEGIN_WITHIN_MS - 3_000;
