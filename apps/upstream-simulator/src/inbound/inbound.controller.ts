import type { FastifyInstance } from 'fastify';
import { senderNamedIn } from '../account/account.controller.js';
import type { AccountRepository } from '../account/account.repository.js';
import { callbackBody, unixSeconds, type CallbackItem } from '../callback/callback.entity.js';
import type { DeliverCallbacks } from '../callback/deliver-callbacks.worker.js';
import { ControlRefusal } from '../control/control-refusal.js';
import { asObject, type JsonObject } from '../json/json-value.js';
import type { Limits } from '../send-message/limit.policy.js';
import type { MessageIds } from '../send-message/message-ids.js';
import { inboundMessage } from './inbound-message.policy.js';
import { preferenceItem } from './preference.policy.js';

/**
 * `POST /_sim/inbound` `{ phoneNumberId | displayPhone, from | userId, name?, id?, type?, text?, … }` sends an inbound message
 * → `{ id, delivered: <HTTP status of the first attempt, or null> }`. It opens the sender's 24-hour window. Several go in one
 * callback as `messages: [{ … }]`, their common fields next to it → `{ id, ids, delivered }`.
 *
 * `POST /_sim/preferences` `{ phoneNumberId | displayPhone, from | userId, value, timestamp?, … }` sends what somebody has set
 * in the provider's own settings (`user_preferences`) → `{ delivered }`.
 */
export function inboundRoutes(
  app: FastifyInstance,
  parts: { accounts: AccountRepository; worker: DeliverCallbacks; ids: MessageIds; limits: Limits },
): void {
  app.post('/_sim/inbound', async (request) => {
    const { messages, ...common } = asObject(request.body) ?? {};
    const sender = senderNamedIn(common, parts.accounts);
    const nowMs = Date.now();
    const inbound = described(messages).map((own) =>
      inboundMessage({ ...common, ...own }, { id: parts.ids.next(), timestamp: unixSeconds(nowMs) }),
    );
    for (const { from } of inbound) {
      if (from !== undefined) parts.limits.inboundFrom(sender.phone.id, from, nowMs);
    }
    const contacts = new Set<string>();
    const items = inbound.map(({ message, contact }): CallbackItem => {
      const contactJson = contact ? JSON.stringify(contact) : null;
      // The provider names each person once.
      const isNew = contactJson !== null && !contacts.has(contactJson);
      if (isNew) contacts.add(contactJson);
      return { list: 'messages', json: JSON.stringify(message), contactJson: isNew ? contactJson : null };
    });
    const delivered = (await parts.worker.submit(callbackBody(items.map((item) => ({ sender, item }))))) ?? null;
    const ids = inbound.map(({ id }) => id);
    return { id: ids[0], ...(messages === undefined ? {} : { ids }), delivered };
  });

  app.post('/_sim/preferences', async (request) => {
    const body = asObject(request.body) ?? {};
    const sender = senderNamedIn(body, parts.accounts);
    const item = preferenceItem(body, unixSeconds(Date.now()));
    return { delivered: (await parts.worker.submit(callbackBody([{ sender, item }]))) ?? null };
  });
}

function described(messages: unknown): readonly JsonObject[] {
  if (messages === undefined) return [{}];
  const given: readonly unknown[] = Array.isArray(messages) ? messages : [];
  if (given.length === 0) throw new ControlRefusal('messages', 'must be a list of messages');
  return given.map((one, at) => {
    const message = asObject(one);
    if (!message) throw new ControlRefusal(`messages[${at}]`, 'must be an object');
    return message;
  });
}
