import { AppError } from '@switchboard/contracts/grammar/app-error';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import type { RefusalKind } from '../upstream/upstream.js';

/**
 * What the caller learns when the upstream refused a stored message for good.
 *
 * Source: docs/api-behaviour.md#messages-outcomes.
 */
export function refusalOf(kind: RefusalKind, code: string, message: string, messageId: string): AppError {
  // Codes of ours are words.
  const details = { messageId, ...(/^\d+$/.test(code) && { upstreamCode: code }) };
  switch (kind) {
    case 'disconnected':
      return new AppError(
        messagingErrors.UPSTREAM_NOT_CONNECTED,
        `The upstream provider refused the channel's access (${code}: ${message})`,
        details,
      );
    case 'opted-out':
      return new AppError(messagingErrors.CONTACT_OPTED_OUT, undefined, details);
    default:
      return new AppError(
        messagingErrors.UPSTREAM_REJECTED,
        `The upstream provider refused the message (${code}: ${message})`,
        details,
      );
  }
}
