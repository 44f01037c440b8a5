import { defineEvent } from '../grammar/define-event.js';

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
  /** Unix seconds. */
  readonly timestamp: string;
  readonly biz_opaque_callback_data?: string;
  readonly errors?: readonly { readonly code: number; readonly title?: string; readonly message?: string }[];
}

/** One `messages[]` item with the profile of its sender. */
export interface UpstreamMessageItem {
  readonly message: {
    readonly id: string;
    readonly from: string;
    readonly timestamp: string;
    readonly type: string;
    readonly text?: { readonly body: string };
    readonly [field: string]: unknown;
  };
  readonly profileName: string | null;
}

/** The upstream told what became of a message. @aggregate the upstream's message */
export const callbackStatus = defineEvent<CallbackItem<UpstreamStatusItem>>('gateway', 'callback.status', 1);
/** The upstream brought a message of a contact. @aggregate line and sender */
export const callbackMessage = defineEvent<CallbackItem<UpstreamMessageItem>>('gateway', 'callback.message', 1);
/**
 * Any other change (`field` and `value` as they came): kept, so that a later reader loses nothing.
 *
 * @aggregate business account
 */
export const callbackChange = defineEvent<{
  readonly businessAccountId: string;
  readonly field: string;
  readonly value: unknown;
}>('gateway', 'callback.change', 1);
