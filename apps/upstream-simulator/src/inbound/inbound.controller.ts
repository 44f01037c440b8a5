import type { FastifyInstance } from 'fastify';
import { senderNamedIn } from '../account/account.controller.js';
import type { AccountRepository } from '../account/account.repository.js';
import { callbackBody, unixSeconds } from '../callback/callback.entity.js';
import type { DeliverCallbacks } from '../callback/deliver-callbacks.worker.js';
import { asObject } from '../json/json-value.js';
import type { Limits } from '../send-message/limit.policy.js';
import type { MessageIds } from '../send-message/message-ids.js';
import { inboundMessage } from './inbound-message.policy.js';

/**
 * `POST /_sim/inbound` `{ phoneNumberId | displayPhone, from | userId, name?, id?, type?, text?, … }` sends an inbound message
 * → `{ id, delivered: <HTTP status of the first attempt, or null> }`. It opens the sender's 24-hour window.
 */
export function inboundRoutes(
  app: FastifyInstance,
  parts: { accounts: AccountRepository; worker: DeliverCallbacks; ids: MessageIds; limits: Limits },
): void {
  app.post('/_sim/inbound', async (request) => {
    const body = asObject(request.body) ?? {};
    const sender = senderNamedIn(body, parts.accounts);
    const nowMs = Date.now();
    const inbound = inboundMessage(body, { id: parts.ids.next(), timestamp: unixSeconds(nowMs) });
    if (inbound.from !== undefined) parts.limits.inboundFrom(sender.phone.id, inbound.from, nowMs);
    const item = {
      list: 'messages' as const,
      json: JSON.stringify(inbound.message),
      contactJson: inbound.contact ? JSON.stringify(inbound.contact) : null,
    };
    return { id: inbound.id, delivered: (await parts.worker.submit(callbackBody([{ sender, item }]))) ?? null };
  });
}
