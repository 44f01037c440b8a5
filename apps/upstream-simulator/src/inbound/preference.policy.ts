import type { CallbackItem } from '../callback/callback.entity.js';
import { ControlRefusal } from '../control/control-refusal.js';
import { asText, type JsonObject } from '../json/json-value.js';
import { contactOf, digitsOf } from './inbound-message.policy.js';

const DETAILS: Readonly<Record<string, string>> = {
  stop: 'User requested to stop marketing messages',
  resume: 'User requested to resume marketing messages',
};

/**
 * The `user_preferences` item that `POST /_sim/preferences` describes. Further members go out as they are.
 *
 * @throws ControlRefusal when the value or the person is missing
 */
export function preferenceItem(body: JsonObject, timestamp: string): CallbackItem {
  const { phoneNumberId: _phone, displayPhone: _display, name, userId, from, ...rest } = body;
  const digits = from === undefined ? undefined : digitsOf(from);
  if (!digits && userId === undefined) throw new ControlRefusal('from', 'must be a phone number, or give a `userId`');
  const value = asText(rest['value']);
  if (value === undefined) throw new ControlRefusal('value', 'must be `stop` or `resume`');
  const json = JSON.stringify({
    ...(digits ? { wa_id: digits } : {}),
    ...(userId === undefined ? {} : { user_id: userId }),
    detail: DETAILS[value] ?? value,
    category: 'marketing_messages',
    // The provider writes this one as a number.
    timestamp: Number(timestamp),
    ...rest,
  });
  return { list: 'user_preferences', json, contactJson: JSON.stringify(contactOf(asText(name), digits, userId)) };
}
