import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { Principal } from '@switchboard/contracts/grammar/principal';
import { messageReceived, type MessageEventData } from '@switchboard/contracts/messaging/events';
import { subscribableEvents } from '@switchboard/contracts/webhooks/http';
import {
  createWebhookRpc,
  getWebhookRpc,
  listWebhookAttemptsRpc,
  rotateWebhookSecretRpc,
  type CreateWebhookRequest,
  type ListWebhookAttemptsRequest,
} from '@switchboard/contracts/webhooks/rpc';
import { askAgain } from '@switchboard/testing';
import type { RunningWebhooks } from './running-webhooks.js';

/** A new organization, as its Owner and its conversations see the service. */
// Its methods say their types; a return type would say them again.
export function newCustomer(running: RunningWebhooks) {
  const organizationId = newCuid();
  const principal: Principal = { organizationId, actor: { type: 'user', userId: 'cuser001' }, scopes: null };
  const { gateway } = running;
  const sequences = new Map<string, number>();
  return {
    organizationId,
    principal,
    register: async (url: string, more: Partial<CreateWebhookRequest> = {}) => {
      const request = { id: newCuid(), url, events: subscribableEvents, description: null, ...more };
      const { webhook, secret } = await askAgain(() => gateway.call(createWebhookRpc, principal, request));
      return { ...webhook, secret };
    },
    webhook: (id: string) => gateway.call(getWebhookRpc, principal, { id }),
    rotate: async (id: string) => gateway.call(rotateWebhookSecretRpc, principal, { id }),
    attempts: async (webhookId: string, filter: Partial<ListWebhookAttemptsRequest> = {}) => {
      const none = { limit: 100, cursor: null, event: null, outcome: null, from: null, to: null };
      return (await gateway.call(listWebhookAttemptsRpc, principal, { webhookId, ...none, ...filter })).items;
    },
    /** An inbound message of a conversation, the next one unless its number is given. @returns the event's id */
    receive: (text: string, conversationId = newCuid(), number?: number, occurredAt = new Date(), id = newCuid()) => {
      const sequence = number ?? (sequences.get(conversationId) ?? 0) + 1;
      sequences.set(conversationId, sequence);
      const data = messageOf(conversationId, text);
      const of = { organizationId, aggregateId: conversationId, sequence };
      return running.publish({ event: messageReceived, id, ...of, occurredAt, data });
    },
  };
}

/** A customer of the tests. */
export type Customer = ReturnType<typeof newCustomer>;

function messageOf(conversationId: string, text: string): MessageEventData {
  const id = newCuid();
  const at = new Date().toISOString();
  const message = {
    id,
    conversationId,
    contactId: newCuid(),
    messagingChannelId: newCuid(),
    direction: 'INBOUND' as const,
    type: 'TEXT' as const,
    unsupportedType: null,
    text,
    template: null,
    clientReference: null,
    metadata: {},
    jobId: null,
    status: 'RECEIVED' as const,
    upstreamMessageId: null,
    error: null,
    createdAt: at,
    sentAt: null,
    deliveredAt: null,
    readAt: null,
    failedAt: null,
  };
  return { message };
}
