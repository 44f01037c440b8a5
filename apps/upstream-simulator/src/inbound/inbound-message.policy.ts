import { ControlRefusal } from '../control/control-refusal.js';
import { asObject, asText, type JsonObject } from '../json/json-value.js';
import { callbackError } from '../provider-error/provider-error.entity.js';

/** An inbound message as a callback carries it: the item of `messages`, and of `contacts` where the type has one. */
export interface InboundMessage {
  readonly id: string;
  /** The sender's digits; undefined for a sender known only by an upstream user id. */
  readonly from: string | undefined;
  readonly message: JsonObject;
  readonly contact: JsonObject | undefined;
}

const MEDIA = {
  id: '1003383421387256',
  mime_type: 'image/jpeg',
  sha256: 'SfInY0gGKTsJlUWbwxC1k+FAD0FZHvzwfpvO0zX0GUI=',
};

/** The content of each type, for requests that name the type alone. */
const EXAMPLE_CONTENT: Readonly<Record<string, unknown>> = {
  text: { body: 'Hello' },
  button: { payload: 'YES', text: 'Yes' },
  interactive: { type: 'button_reply', button_reply: { id: 'yes', title: 'Yes' } },
  image: MEDIA,
  video: { ...MEDIA, mime_type: 'video/mp4' },
  audio: { ...MEDIA, mime_type: 'audio/ogg; codecs=opus', voice: true },
  document: { ...MEDIA, mime_type: 'application/pdf', filename: 'invoice.pdf' },
  sticker: { ...MEDIA, mime_type: 'image/webp', animated: false },
  location: { latitude: 37.4847, longitude: -122.1473, name: 'Main square', address: '1 Main Street' },
  contacts: [{ name: { formatted_name: 'Ada Lovelace', first_name: 'Ada' }, phones: [{ phone: '+1 650 555 1234' }] }],
  reaction: { message_id: 'wamid.HBgLMTY1MDU1NTEyMzQ', emoji: '👍' },
  unsupported: { type: 'unknown' },
  system: { body: 'User A changed from 16505551234 to 16505559999', wa_id: '16505559999', type: 'user_changed_number' },
};

/**
 * The message that `POST /_sim/inbound` describes. `type` may be left out when a member has a type's name; `text` may be a
 * string; `newPhone` makes it a `system` note of a changed number; every member but the control's own (`phoneNumberId`,
 * `displayPhone`, `name`, `userId`, `newPhone`) goes out as it is.
 *
 * @throws ControlRefusal when neither `from` nor `userId` is there, or when the type cannot be determined.
 */
export function inboundMessage(body: JsonObject, defaults: { id: string; timestamp: string }): InboundMessage {
  const { phoneNumberId: _phone, displayPhone: _display, name, userId, from, id, text, newPhone, ...rest } = body;
  const { type: givenType, ...raw } = newPhone === undefined ? rest : { ...changedNumber(from, newPhone), ...rest };
  const digits = from === undefined ? undefined : digitsOf(from);
  if (!digits && userId === undefined) throw new ControlRefusal('from', 'must be a phone number, or give a `userId`');
  const content = text === undefined ? raw : { ...raw, text: typeof text === 'string' ? { body: text } : text };
  const type = asText(givenType) ?? Object.keys(EXAMPLE_CONTENT).find((key) => key in content);
  if (type === undefined) throw new ControlRefusal('type', 'is required when no member has the name of a type');
  const messageId = asText(id) ?? defaults.id;
  const message = {
    ...(digits ? { from: digits } : {}),
    ...(userId === undefined ? {} : { from_user_id: userId }),
    id: messageId,
    timestamp: defaults.timestamp,
    type,
    ...(type in EXAMPLE_CONTENT ? { [type]: EXAMPLE_CONTENT[type] } : {}),
    ...(type === 'unsupported' ? { errors: [callbackError(131051)] } : {}),
    ...content,
  };
  // The provider's notes about a user who changed numbers come without `contacts`.
  const contact = type === 'system' ? undefined : contactOf(asText(name), digits, userId);
  return { id: messageId, from: digits, message, contact: asObject(contact) };
}

function changedNumber(from: unknown, newPhone: unknown): JsonObject {
  const body = `User A changed from ${digitsOf(from)} to ${digitsOf(newPhone)}`;
  return { type: 'system', system: { body, wa_id: digitsOf(newPhone), type: 'user_changed_number' } };
}

/** Digits of a phone however it is written. */
export function digitsOf(phone: unknown): string {
  return String(phone ?? '').replaceAll(/\D/g, '');
}

/** The `contacts` item of a person. */
export function contactOf(name: string | undefined, digits: string | undefined, userId: unknown): JsonObject {
  return {
    profile: { name: name ?? digits ?? 'Unknown' },
    ...(digits ? { wa_id: digits } : {}),
    ...(userId === undefined ? {} : { user_id: userId }),
  };
}
