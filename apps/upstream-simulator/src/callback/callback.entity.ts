import { createHmac } from 'node:crypto';
import type { Sender } from '../account/account.repository.js';
import { callbackError } from '../provider-error/provider-error.entity.js';
import type { Step } from './status-plan.policy.js';

/** Where callbacks go, and the secrets of the subscription. No callbacks are made while `url` is null. */
export interface CallbackTarget {
  readonly url: string | null;
  readonly appSecret: string;
  readonly verifyToken: string;
}

/** One item of a callback, serialised, with the list of `value` that it belongs in. */
export interface CallbackItem {
  readonly list: 'statuses' | 'messages' | 'user_preferences';
  readonly json: string;
  /** The `contacts` item that accompanies a message or a preference; null for statuses. */
  readonly contactJson: string | null;
}

/** An accepted message as its callbacks name it. */
export interface CallbackSubject {
  readonly messageId: string;
  readonly recipientId: string;
  readonly reference: string | null;
}

/** The value of `X-Hub-Signature-256`: HMAC-SHA256 of the raw body under the app secret. */
export function signatureOf(body: string, appSecret: string): string {
  return `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`;
}

/** The provider's status item for a step of a message. */
export function statusItem(subject: CallbackSubject, step: Extract<Step, { kind: 'status' }>): CallbackItem {
  const json = JSON.stringify({
    id: subject.messageId,
    status: step.status,
    timestamp: unixSeconds(step.happenedAtMs),
    recipient_id: subject.recipientId,
    ...(subject.reference === null ? {} : { biz_opaque_callback_data: subject.reference }),
    ...(step.errorCode === undefined ? {} : { errors: [callbackError(step.errorCode)] }),
  });
  return { list: 'statuses', json, contactJson: null };
}

/** The text that a recipient sends back of its own accord, as a reply to the message. */
export function replyItem(
  subject: CallbackSubject,
  step: Extract<Step, { kind: 'reply' }>,
  ids: { readonly messageId: string; readonly senderPhone: string },
): CallbackItem {
  const from = subject.recipientId;
  const json = JSON.stringify({
    context: { from: ids.senderPhone, id: subject.messageId },
    from,
    id: ids.messageId,
    timestamp: unixSeconds(step.happenedAtMs),
    type: 'text',
    text: { body: step.text },
  });
  return { list: 'messages', json, contactJson: JSON.stringify({ profile: { name: from }, wa_id: from }) };
}

/**
 * A callback's body: an entry for each account, in it a change for each phone number and list, in it the items in
 * their order.
 */
export function callbackBody(items: readonly { readonly sender: Sender; readonly item: CallbackItem }[]): string {
  const accounts = new Map<string, Map<string, { sender: Sender; list: string; json: string[]; contacts: string[] }>>();
  for (const { sender, item } of items) {
    const changes = getOrAdd(accounts, sender.account.wabaId, () => new Map());
    const key = `${item.list}:${sender.phone.id}`;
    const change = getOrAdd(changes, key, () => ({ sender, list: item.list, json: [], contacts: [] }));
    change.json.push(item.json);
    if (item.contactJson !== null) change.contacts.push(item.contactJson);
  }
  const entries = [...accounts].map(([wabaId, changes]) => {
    const bodies = [...changes.values()].map(({ sender, list, json, contacts }) => {
      const contactsPart = contacts.length > 0 ? `"contacts":[${contacts.join(',')}],` : '';
      const field = list === 'user_preferences' ? list : 'messages';
      return `{"value":{${valueHead(sender)},${contactsPart}"${list}":[${json.join(',')}]},"field":"${field}"}`;
    });
    return `{"id":${JSON.stringify(wabaId)},"changes":[${bodies.join(',')}]}`;
  });
  return `{"object":"whatsapp_business_account","entry":[${entries.join(',')}]}`;
}

/** Unix seconds as the string that callbacks carry. */
export function unixSeconds(atMs: number): string {
  return String(Math.floor(atMs / 1000));
}

function valueHead({ phone }: Sender): string {
  const displayPhone = JSON.stringify(phone.displayPhone.replaceAll(/\D/g, ''));
  const metadata = `{"display_phone_number":${displayPhone},"phone_number_id":${JSON.stringify(phone.id)}}`;
  return `"messaging_product":"whatsapp","metadata":${metadata}`;
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
