import type { UpstreamMessageItem } from '@switchboard/contracts/gateway/events';

/** What an inbound message is to us. */
export interface InboundContent {
  readonly type: 'TEXT' | 'UNSUPPORTED';
  readonly unsupportedType: string | null;
  readonly text: string | null;
}

/** Text is kept; every other kind is kept as UNSUPPORTED with its name. Source: provider's "messages" webhook. */
export function contentOf(message: UpstreamMessageItem['message']): InboundContent {
  if (message.type === 'text' && typeof message.text?.body === 'string') {
    return { type: 'TEXT', unsupportedType: null, text: message.text.body };
  }
  return { type: 'UNSUPPORTED', unsupportedType: message.type, text: null };
}
