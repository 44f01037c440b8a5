import type { UpstreamStatusItem } from '@switchboard/contracts/gateway/events';
import type { ProgressFact } from '../message/message-progress.policy.js';
import { storable } from './inbound-content.policy.js';

/** Columns hold any length; a reader needs no more. In UTF-16 units. */
const REASON_MAX = 2_000;

/**
 * The fact that a status reports; null for kinds that we do not know. `played` (a voice message was listened to) is `read`: it cannot be
 * listened to without opening the chat, and the provider does not promise the other.
 *
 * @param at when it happened, by the upstream
 * Source: provider's "messages" webhook, `statuses`.
 */
export function factOf(item: UpstreamStatusItem, at: Date): ProgressFact | null {
  switch (item.status) {
    case 'sent':
      return { type: 'sent' };
    case 'delivered':
      return { type: 'delivered', at };
    case 'read':
    case 'played':
      return { type: 'read', at };
    case 'failed': {
      const [error] = item.errors ?? [];
      const message = error?.message ?? error?.title ?? 'the upstream gave no reason';
      return {
        type: 'failed',
        at,
        code: String(error?.code ?? 'UNKNOWN'),
        message: storable(message.slice(0, REASON_MAX)),
        afterSending: true,
      };
    }
    default:
      return null;
  }
}
