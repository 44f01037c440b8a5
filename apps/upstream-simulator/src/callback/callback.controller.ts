import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { ControlRefusal } from '../control/control-refusal.js';
import { asObject, type JsonObject } from '../json/json-value.js';
import type { CallbackClient } from './callback.client.js';
import type { CallbackTarget } from './callback.entity.js';
import type { DeliverCallbacks } from './deliver-callbacks.worker.js';

/**
 * `GET` and `PUT /_sim/callback` (partial): `{ url }`; PUT takes `appSecret` and `verifyToken` too, which are never shown.
 * `POST /_sim/callback/verify` asks the receiver to prove that it knows the verify token → `{ verified, status }`.
 * `POST /_sim/callbacks` `{ body }` signs and sends any body: an object, or a string that is sent byte for byte →
 * `{ delivered: <HTTP status or null> }`.
 */
export function callbackRoutes(app: FastifyInstance, client: CallbackClient, worker: DeliverCallbacks): void {
  const shown = (): object => ({ url: client.target.url });
  app.get('/_sim/callback', shown);
  app.put('/_sim/callback', (request) => {
    client.retarget(changeTarget(client.target, asObject(request.body) ?? {}));
    return shown();
  });
  app.post('/_sim/callback/verify', async () => {
    const challenge = randomBytes(8).readBigUInt64BE().toString();
    const answer = await client.verify(challenge);
    return { verified: answer?.status === 200 && answer.body === challenge, status: answer?.status ?? null };
  });
  app.post('/_sim/callbacks', async (request) => {
    const body = asObject(request.body)?.['body'];
    if (body === undefined) throw new ControlRefusal('body', 'is required: an object, or a string sent as it is');
    return { delivered: (await worker.submit(typeof body === 'string' ? body : JSON.stringify(body))) ?? null };
  });
}

function changeTarget(target: CallbackTarget, patch: JsonObject): CallbackTarget {
  const { url = target.url, appSecret = target.appSecret, verifyToken = target.verifyToken } = patch;
  if (url !== null && !isHttpUrl(url)) throw new ControlRefusal('url', 'must be an http or https URL, or null');
  if (typeof appSecret !== 'string' || appSecret === '') throw new ControlRefusal('appSecret', 'must be a string');
  if (typeof verifyToken !== 'string') throw new ControlRefusal('verifyToken', 'must be a string');
  return { url, appSecret, verifyToken };
}

/** Whether the value is an absolute http or https URL. */
export function isHttpUrl(value: unknown): value is string {
  return typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}
