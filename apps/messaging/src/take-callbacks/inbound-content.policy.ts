import type { UpstreamMessageItem } from '@switchboard/contracts/gateway/events';

type UpstreamMessage = UpstreamMessageItem['message'];

/** What an inbound message is to us. */
export interface InboundContent {
  readonly type: 'TEXT' | 'UNSUPPORTED';
  readonly unsupportedType: string | null;
  readonly text: string | null;
}

/** The provider's words for types are shorter. */
const TYPE_MAX = 64;

/**
 * Text is kept, and of a button or list what the contact chose. Every other kind is kept as UNSUPPORTED with the upstream's
 * name of it; `text` is its caption then, where it has one.
 *
 * Source: docs/api-behaviour.md#messages-fields; provider's "messages" webhook.
 */
export function contentOf(message: UpstreamMessage): InboundContent {
  const text = textOf(message);
  if (text !== null) return { type: 'TEXT', unsupportedType: null, text: storable(text) };
  const caption = fieldOf(message[message.type], 'caption');
  return {
    type: 'UNSUPPORTED',
    unsupportedType: storable(message.type.slice(0, TYPE_MAX)),
    text: caption ? storable(caption) : null,
  };
}

/** What was said with the whole message: a text, or a button's title and what it stands for. A caption accompanies something. */
export function saidWith(message: UpstreamMessage): readonly string[] {
  const said = [textOf(message)];
  if (message.type === 'interactive') said.push(fieldOf(replyOf(message), 'id'));
  if (message.type === 'button') said.push(fieldOf(message['button'], 'payload'));
  return said.filter((one) => one !== null);
}

function textOf(message: UpstreamMessage): string | null {
  switch (message.type) {
    case 'text':
      return fieldOf(message.text, 'body');
    case 'button':
      return fieldOf(message['button'], 'text') ?? fieldOf(message['button'], 'payload');
    case 'interactive':
      return fieldOf(replyOf(message), 'title');
    default:
      return null;
  }
}

function replyOf({ interactive }: UpstreamMessage): unknown {
  return partOf(interactive, 'button_reply') ?? partOf(interactive, 'list_reply');
}

/** A member of something that may be anything. */
export function partOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** A text in something that may be anything; null when there is none. */
export function fieldOf(value: unknown, name: string): string | null {
  const field = partOf(value, name);
  return typeof field === 'string' ? field : null;
}

/** PostgreSQL's text holds no NUL, and JSON no half of a character: both become U+FFFD. A message is never lost for one. */
export function storable(text: string): string {
  return text.replaceAll('\u0000', '\ufffd').toWellFormed();
}
