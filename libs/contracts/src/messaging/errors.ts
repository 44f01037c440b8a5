import { defineError } from '../grammar/app-error.js';

/** The sentence of INVALID_PHONE. @param field the field or parameter that must hold the number */
export function invalidPhone(field: 'to' | 'phone'): string {
  return `\`${field}\` must be a phone number, E.164 preferred`;
}

/**
 * Refusals of messages, conversations and channels. Source: docs/api-behaviour.md#errors-codes,
 * docs/api-behaviour.md#messages-outcomes.
 */
export const messagingErrors = {
  INVALID_PHONE: defineError({
    code: 'INVALID_PHONE',
    status: 400,
    message: 'The phone number is not valid; E.164 is preferred',
    example: invalidPhone('phone'),
    retry: 'after-fixing',
  }),
  UPSTREAM_REJECTED: defineError({
    code: 'UPSTREAM_REJECTED',
    status: 400,
    message: 'The upstream provider refused the request',
    example: 'The upstream provider refused the message (131026: Message undeliverable)',
    retry: 'after-fixing',
  }),
  CONTACT_OPTED_OUT: defineError({
    code: 'CONTACT_OPTED_OUT',
    status: 403,
    message: 'The contact has opted out on this channel',
    retry: 'after-fixing',
  }),
  UPSTREAM_NOT_CONNECTED: defineError({
    code: 'UPSTREAM_NOT_CONNECTED',
    status: 403,
    message: 'The channel is not connected to the upstream provider',
    retry: 'after-fixing',
  }),
  CHANNEL_NOT_FOUND: defineError({
    code: 'CHANNEL_NOT_FOUND',
    status: 404,
    message: 'Channel not found',
    example: '`messagingChannelId` names no channel of the organization',
    retry: 'after-fixing',
  }),
  CONVERSATION_NOT_FOUND: defineError({
    code: 'CONVERSATION_NOT_FOUND',
    status: 404,
    message: 'Conversation not found',
    retry: 'after-fixing',
  }),
  MESSAGE_NOT_FOUND: defineError({
    code: 'MESSAGE_NOT_FOUND',
    status: 404,
    message: 'Message not found',
    retry: 'after-fixing',
  }),
} as const;
