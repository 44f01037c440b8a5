import { defineEvent } from '../grammar/define-event.js';
import type { Int } from '../grammar/int.js';
import type { IsoTime } from '../grammar/iso-time.js';

/** One item of a callback of the upstream, as it came; which organization it is for, the channel's owner knows. */
export interface CallbackItem<Item> {
  /** The upstream's id of the sending line (`metadata.phone_number_id`). */
  readonly phoneNumberId: string;
  readonly item: Item;
}

/** One `statuses[]` item. Source: provider's "messages" webhook. */
export interface UpstreamStatusItem {
  readonly id: string;
  readonly status: string;
  /** Unix seconds; empty where the upstream gave none. */
  readonly timestamp: string;
  /** Digits of the recipient's number. */
  readonly recipient_id?: string;
  readonly biz_opaque_callback_data?: string;
  readonly errors?: readonly { readonly code: number; readonly title?: string; readonly message?: string }[];
}

/** One `messages[]` item with the profile of its sender; further fields are as they came. */
export interface UpstreamMessageItem {
  readonly message: {
    readonly id: string;
    /** Digits of the sender's number; empty for a sender whom the upstream names only by its own id. */
    readonly from: string;
    readonly timestamp: string;
    readonly type: string;
    readonly text?: { readonly body: string };
    readonly [field: string]: unknown;
  };
  readonly profileName: string | null;
  /** The upstream's own id of the sender, if it has one; printable, 1 to 128 characters. */
  readonly userId?: string;
}

/** One `user_preferences[]` item. Source: provider's "user_preferences" webhook. */
export interface UpstreamPreferenceItem {
  /** Digits of the person's number. */
  readonly wa_id?: string;
  /** The upstream's own id of the person. */
  readonly user_id?: string;
  /** `stop` or `resume`, and what the provider may add. */
  readonly value: string;
  readonly category?: string;
  /** Unix seconds; empty where the upstream gave none. */
  readonly timestamp: string;
}

/** A person's preference in the upstream's own settings. */
export interface CallbackPreference {
  readonly businessAccountId: string;
  /** The upstream's id of the line; null when the upstream gave none: it is about every line of the account. */
  readonly phoneNumberId: string | null;
  readonly item: UpstreamPreferenceItem;
  readonly profileName: string | null;
}

/** The upstream reported the outcome of a message. @aggregate the upstream's message */
export const callbackStatus = defineEvent<CallbackItem<UpstreamStatusItem>>('gateway', 'callback.status', 1);
/** The upstream brought a message of a contact. @aggregate line and sender */
export const callbackMessage = defineEvent<CallbackItem<UpstreamMessageItem>>('gateway', 'callback.message', 1);
/** A contact opted out of messages, or in again, in the upstream's own settings. @aggregate line and person */
export const callbackPreference = defineEvent<CallbackPreference>('gateway', 'callback.preference', 1);
/**
 * Any other change (`field` and `value` as they came): kept, so that a later reader loses nothing.
 *
 * @aggregate business account
 */
export const callbackChange = defineEvent<{
  readonly businessAccountId: string;
  readonly field: string;
  readonly value: unknown;
  /** True for an item of a kind that we know in a shape, or a size, that was not agreed. */
  readonly isOdd?: boolean;
}>('gateway', 'callback.change', 1);

/**
 * What an organization pays for changed: its subscription, its plan, or the numbers that an operator excepted from it.
 *
 * @aggregate organization
 */
export const organizationChanged = defineEvent<{
  readonly subscription: 'ACTIVE' | 'PAST_DUE' | 'CANCELED';
  readonly plan: string;
  /** What it may send in a UTC month. */
  readonly messagesPerMonth: Int;
  /** Scopes that the plan does not include; left out by older releases. */
  readonly excludedScopes?: readonly string[];
}>('gateway', 'organization.changed', 1);

/** How many requests to an endpoint were answered with a class of status. */
export interface EndpointCount {
  /** Method and route, as `POST /v1/messages`. */
  readonly endpoint: string;
  /** `2xx`, `4xx`, … */
  readonly statusClass: string;
  readonly requests: Int;
}

/** Requests with a key of the organization ended, at most a second's of one gateway. @aggregate organization */
export const requestsCounted = defineEvent<{
  /** When they ended, to 15 minutes. */
  readonly at: IsoTime;
  readonly counts: readonly EndpointCount[];
}>('gateway', 'requests.counted', 1);
