import type { FastifyInstance } from 'fastify';
import { senderNamedIn } from '../account/account.controller.js';
import type { AccountRepository } from '../account/account.repository.js';
import { ControlRefusal } from '../control/control-refusal.js';
import { asObject, asText, type JsonObject } from '../json/json-value.js';
import { callbackError } from '../provider-error/provider-error.entity.js';
import type { RequestLog } from '../request-log/request-log.repository.js';
import type { MessageIds } from '../send-message/message-ids.js';
import { waIdOf } from '../send-message/wa-id.policy.js';
import { callbackBody, unixSeconds } from './callback.entity.js';
import type { DeliverCallbacks } from './deliver-callbacks.worker.js';
import type { TakenStatuses } from './taken-statuses.repository.js';

/**
 * `POST /_sim/statuses` sends any status items, joined in one callback: `{ phoneNumberId?, statuses: [{ id | reference, status,
 * timestamp?, recipient_id?, errors?, … }] }`, or one such item as the body. An item with a `reference` alone takes its id,
 * recipient and phone number from the last accepted request with that reference, also when its answer was cut;
 * for a reference that was never seen an id is made up. Further members go out as they are. → `{ ids, delivered }`.
 *
 * `GET /_sim/statuses?cursor` → `{ items: [{ id, status }], nextCursor }`: what the receiver answered 200 of the statuses
 * that follow an acceptance, oldest first; there is always a next cursor, and no items at the end.
 */
export function statusRoutes(
  app: FastifyInstance,
  parts: {
    accounts: AccountRepository;
    worker: DeliverCallbacks;
    log: RequestLog;
    ids: MessageIds;
    taken: TakenStatuses;
  },
): void {
  app.get('/_sim/statuses', (request) => {
    const cursor = asObject(request.query)?.['cursor'] ?? '0';
    if (typeof cursor !== 'string' || !/^\d{1,15}$/.test(cursor)) {
      throw new ControlRefusal('cursor', 'must be a whole number');
    }
    return parts.taken.page(Number(cursor));
  });
  app.post('/_sim/statuses', async (request) => {
    const body = asObject(request.body) ?? {};
    const given: readonly unknown[] = Array.isArray(body['statuses']) ? body['statuses'] : [body];
    const resolved = given.map((item, at) => {
      const field = Array.isArray(body['statuses']) ? `statuses[${at}]` : 'body';
      const status = asObject(item);
      if (!status) throw new ControlRefusal(field, 'must be an object');
      return resolveStatus(status, field, body, parts);
    });
    const delivered = await parts.worker.submit(
      callbackBody(
        resolved.map(({ sender, json }) => ({ sender, item: { list: 'statuses', json, contactJson: null } })),
      ),
    );
    return { ids: resolved.map(({ id }) => id), delivered: delivered ?? null };
  });
}

function resolveStatus(
  given: JsonObject,
  field: string,
  body: JsonObject,
  { accounts, log, ids }: { accounts: AccountRepository; log: RequestLog; ids: MessageIds },
) {
  const { reference, phoneNumberId, displayPhone, id, errors, recipient_id: recipientId, ...rest } = given;
  if (asText(rest['status']) === undefined) throw new ControlRefusal(`${field}.status`, 'must be a status');
  if (id === undefined && asText(reference) === undefined) {
    throw new ControlRefusal(`${field}.id`, 'is required, or a `reference`');
  }
  const request = typeof reference === 'string' ? lastAccepted(log, reference) : undefined;
  const named = { ...pick(body), ...pick({ phoneNumberId, displayPhone }) };
  const sender = senderNamedIn(
    Object.keys(named).length === 0 && request ? { phoneNumberId: request.phoneNumberId } : named,
    accounts,
  );
  const messageId = asText(id) ?? request?.messageId ?? ids.next();
  const json = JSON.stringify({
    id: messageId,
    timestamp: unixSeconds(Date.now()),
    recipient_id: asText(recipientId) ?? (request?.to ? waIdOf(request.to) : '16505551234'),
    ...rest,
    ...(reference === undefined ? {} : { biz_opaque_callback_data: reference }),
    ...(Array.isArray(errors) ? { errors: errors.map((error: unknown) => filledError(error)) } : {}),
  });
  return { id: messageId, sender, json };
}

function lastAccepted(log: RequestLog, reference: string) {
  for (const number of log.numbersByReference(reference).toReversed()) {
    const request = log.read(number);
    if (request.messageId !== null) return request;
  }
  return undefined;
}

/** `{ code }` alone gets the provider's texts; what is given stays. */
function filledError(error: unknown): unknown {
  const given = asObject(error);
  return typeof given?.['code'] === 'number' ? { ...callbackError(given['code']), ...given } : error;
}

function pick({ phoneNumberId, displayPhone }: JsonObject): JsonObject {
  return {
    ...(phoneNumberId === undefined ? {} : { phoneNumberId }),
    ...(displayPhone === undefined ? {} : { displayPhone }),
  };
}
