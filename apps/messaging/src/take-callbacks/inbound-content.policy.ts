import type { UpstreamMessageItem } from '@switchboard/contracts/gateway/events';

/** What an inbound message is to us. */
export interface InboundContent {
  readonly type: 'TEXT' | 'UNSUPPORTED';
  readonly unsupportedType: string | null;
  readonly text: string | null;
}

/**
 * Text is kept, and of a button or list the title that the contact chose; every other kind is kept as UNSUPPORTED with its
 * name. Source: decisions, "Messages"; provider's "messages" webhook.
 */
export function contentOf(message: UpstreamMessageItem['message']): InboundContent {
  const text = textOf(message);
  if (text === null) return { type: 'UNSUPPORTED', unsupportedType: message.type, text: null };
  return { type: 'TEXT', unsupportedType: null, text: storable(text) };
}

function textOf(message: UpstreamMessageItem['message']): string | null {
  switch (message.type) {
    case 'text':
      return fieldOf(message.text, 'body');
    case 'button':
      return fieldOf(message['button'], 'text');
    case 'interactive': {
      const { interactive } = message;
      return (
        fieldOf(partOf(interactive, 'button_reply'), 'title') ?? fieldOf(partOf(interactive, 'list_reply'), 'title')
      );
    }
    default:
      return null;
  }
}

function partOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function fieldOf(value: unknown, name: string): string | null {
  const field = partOf(value, name);
  return typeof field === 'string' ? field : null;
}

/** PostgreSQL's text holds no NUL, and JSON no lone surrogate; a message must not be lost for one. */
export function storable(text: string): string {
  return text.replaceAll('\u0000', '').toWellFormed();
}
