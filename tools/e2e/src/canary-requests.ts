import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { assertDescribed } from '@switchboard/check/description/described-answers';
import type { GatewayRoute } from '@switchboard/gateway/routes';
import type { Flock } from './canary-flock.js';
import { rawAnswer } from './raw-answer.js';

/** One request that carries canaries wherever a request can carry anything. */
export interface CanaryRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | null;
}

/** The requests to a route, in two parts: what the first are answered decides where the others are worth sending. */
export interface RouteRequests {
  /** One body to every path, with a good key. */
  readonly first: readonly CanaryRequest[];
  /**
   * All other bodies to the targets whose answers do not say that no body was looked at, and to one of each status that
   * does; and the other ways to be let in: with a key that is bad, or in the wrong place.
   *
   * @param statuses of the answers to the first, by target
   */
  others(statuses: ReadonlyMap<string, number>): CanaryRequest[];
}

/** Answered before a body is looked at. */
const WITHOUT_BODY: readonly number[] = [401, 404];

/**
 * Where a route's canaries go.
 *
 * @param ids of things that are there, for the parameters of paths
 */
export function requestsOf(route: GatewayRoute, flock: Flock, ids: readonly string[]): RouteRequests {
  const { method } = route;
  const [goodKey = ''] = flock.goodKeys;
  const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });
  const paths = pathsOf(route, flock, ids);
  const search = new URLSearchParams({ phone: flock.writtenPhones[1] ?? '', search: flock.text });
  const targets = [...paths.map((path) => `${path}?${queryOf(flock)}`), `${paths[0]}?${search}`, ...paths];
  const [body = null, ...otherBodies] = method === 'GET' ? [] : bodiesOf(flock);
  const headers = { ...headersOf(flock), ...bearer(goodKey) };
  const good = targets.map((target) => ({ method, target, headers, body }));
  const credentials = [
    ...flock.badKeys.map(bearer),
    ...flock.goodKeys.slice(2).map(bearer),
    { 'x-api-key': goodKey },
    { authorization: `Basic ${Buffer.from(`${goodKey}:${flock.text}`).toString('base64')}` },
    { cookie: `session=${goodKey}` },
    { authorization: goodKey },
  ];
  const target = targets[0] ?? '';
  return {
    first: good,
    others: (statuses) => {
      const unread = WITHOUT_BODY.map((status) => targets.find((one) => statuses.get(one) === status));
      const wanted = targets.filter((one) => !WITHOUT_BODY.includes(statuses.get(one) ?? 0) || unread.includes(one));
      const bodies = wanted.flatMap((one) =>
        otherBodies.map((other) => ({ method, target: one, headers, body: other })),
      );
      return [...bodies, ...credentials.map((own) => ({ method, target, headers: own, body }))];
    },
  };
}

/** Requests to what is no route. */
export function requestsToNothing(flock: Flock): CanaryRequest[] {
  const [key = ''] = flock.goodKeys;
  const [phone = ''] = flock.writtenPhones;
  const paths = [
    `/v1/contacts/${encodeURIComponent(phone)}/${flock.name}`,
    `/v1/messages/${phone}/${flock.text}`,
    `/api/v1/messages/${phone}`,
    `/api/v1/${flock.text}?key=${key}`,
    '/v1/ping',
    `/${key}`,
    `/upstream/${flock.appSecret}`,
    `/v1/%E0%A4%A/${flock.text}`,
    `/v1/${flock.text.repeat(500)}`,
    `//${flock.text}/..;/${phone}`,
  ];
  return paths.flatMap((path) =>
    ['GET', 'POST', 'DELETE', 'OPTIONS'].map((method) => ({
      method,
      target: `${path}${path.includes('?') ? '&' : '?'}${queryOf(flock)}`,
      headers: { ...headersOf(flock), authorization: `Bearer ${key}` },
      body: method === 'POST' ? (bodiesOf(flock)[0] ?? null) : null,
    })),
  );
}

/** Requests to a process's internal server, where operators and, while NATS is away, other services ask. */
export function requestsToInternals(flock: Flock): CanaryRequest[] {
  const [badKey = ''] = flock.badKeys;
  const bodies = bodiesOf(flock);
  const headers = { ...headersOf(flock), authorization: `Bearer ${badKey}` };
  const asks = ['/metrics', '/health/live', '/health/ready', `/${flock.text}`].map((path) => ({
    method: 'GET',
    target: `${path}?${queryOf(flock)}`,
    headers,
    body: null,
  }));
  const rpcs = ['/rpc/rpc.messaging.send-message', '/rpc/rpc.contacts.resolve-many', `/rpc/${flock.text}`];
  const posts = rpcs.flatMap((target) => bodies.slice(0, 8).map((body) => ({ method: 'POST', target, headers, body })));
  return [...asks, ...posts];
}

/** Callbacks of the upstream, with good and bad signatures, whole and broken. */
export function callbacksOf(flock: Flock, phoneNumberId: string): CanaryRequest[] {
  const { inboundPhone, text, name } = flock;
  const [phone = ''] = flock.writtenPhones;
  const callback = (field: string, value: object): string =>
    JSON.stringify({ object: 'x', entry: [{ id: '102290129340401', changes: [{ field, value }] }] });
  const metadata = { display_phone_number: '12015550181', phone_number_id: phoneNumberId };
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const contacts = [{ wa_id: inboundPhone, profile: { name } }];
  const item = { id: `wamid.${text}`, timestamp, recipient_id: phone.slice(1), status: 'failed' };
  const errors = [{ code: 131049, title: `${phone} ${text}`, message: `${phone} said ${text}` }];
  const inbound = { from: inboundPhone, timestamp };
  const bodies = [
    callback('messages', { metadata, statuses: [{ ...item, errors }] }),
    callback('messages', {
      metadata,
      contacts,
      messages: [{ ...inbound, id: `a${text}`, type: 'text', text: { body: text } }],
    }),
    callback('messages', {
      metadata,
      contacts,
      messages: [{ ...inbound, id: `b${text}`, type: 'image', caption: text }],
    }),
    callback('messages', {
      metadata,
      contacts,
      messages: [{ from_user_id: 'US.13491208655302741918', id: `c${text}`, timestamp, type: 'text' }],
    }),
    callback('messages', { metadata, messages: [text, phone, null], statuses: text }),
    callback('messages', {
      metadata: { phone_number_id: phone },
      contacts,
      messages: [{ ...inbound, id: text, type: 'text' }],
    }),
    callback('account_update', { phone, text, name }),
    `{"entry": [{"id": "${phone}", ${text}`,
    JSON.stringify([text, phone]),
    text,
  ];
  const post = (body: string, signature: string): CanaryRequest => ({
    method: 'POST',
    target: `/upstream/cloud/callbacks?${queryOf(flock)}`,
    headers: { ...headersOf(flock), 'x-hub-signature-256': signature },
    body,
  });
  const sign = (body: string, secret: string): string =>
    `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const verify = (token: string): CanaryRequest => ({
    method: 'GET',
    target: `/upstream/cloud/callbacks?hub.mode=subscribe&hub.challenge=${text}&hub.verify_token=${token}`,
    headers: {},
    body: null,
  });
  return [
    ...bodies.flatMap((body) => [
      post(body, sign(body, flock.appSecret)),
      post(body, sign(body, text)),
      post(body, flock.appSecret),
    ]),
    verify(flock.verifyToken),
    verify(text),
  ];
}

/** What is no HTTP, or not whole: bytes for a connection of their own. */
export function brokenBytes(flock: Flock): string[] {
  const [key = ''] = flock.goodKeys;
  const [phone = ''] = flock.writtenPhones;
  return [
    `GET /${flock.text} ${phone} HTTP/9.9\r\nAuthorization: ${key}\r\n\r\n`,
    `${flock.text} ${phone}\r\n\r\n`,
    `GET /v1/ping HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nX-Pad: ${flock.text.repeat(4_000)}\r\n\r\n`,
    `CONNECT ${flock.text}:443 HTTP/1.1\r\nHost: ${flock.text}\r\n\r\n`,
    `POST /v1/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
      `Transfer-Encoding: chunked\r\n\r\nZZ\r\n{"to":"${phone}"\r\n`,
    `POST /v1/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Length: 10\r\n` +
      `Content-Length: 20\r\n\r\n${flock.text}`,
  ];
}

/** @returns the status, and the id of what the answer shows */
export async function ask(
  baseUrl: string,
  { method, target, headers, body }: CanaryRequest,
): Promise<{ readonly status: number; readonly id: string | undefined }> {
  const answer = await fetch(baseUrl + target, {
    method,
    headers,
    redirect: 'manual',
    ...(body === null ? {} : { body: typeof body === 'string' ? body : new Uint8Array(body) }),
    signal: AbortSignal.timeout(30_000),
  });
  const text = await answer.text();
  assertDescribed({ method, target, status: answer.status, headers: answer.headers, text });
  const [, id] = /^\{"id":"(c[0-9a-z]{24})"/.exec(text) ?? [];
  return { status: answer.status, id };
}

/**
 * Sends bytes and waits until the other side has closed.
 *
 * @returns the status; undefined when it closed without an answer
 * @throws Error when the answer is not one that the description of what was asked for knows
 */
export async function sendBytes(baseUrl: string, bytes: string): Promise<number | undefined> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname === 'localhost' ? '127.0.0.1' : hostname);
  const { promise, resolve } = Promise.withResolvers<void>();
  let received = '';
  socket.on('error', () => undefined).once('close', () => resolve());
  socket.setTimeout(30_000, () => socket.destroy());
  socket.on('data', (chunk) => (received += chunk.toString('latin1'))).end(bytes);
  await promise;
  const answer = rawAnswer(received);
  const [method = '', target = ''] = bytes.split(' ');
  if (answer) assertDescribed({ method, target, ...answer });
  return answer?.status;
}

function pathsOf({ path }: GatewayRoute, { writtenPhones, text, goodKeys }: Flock, ids: readonly string[]): string[] {
  const values = [...ids, 'c0123456789abcdefghijklmn', writtenPhones[0], writtenPhones[1], text, goodKeys[0]];
  const filled = values.map((value) => path.replaceAll(/:\w+/g, encodeURIComponent(value ?? '')));
  return [...new Set(filled)];
}

function queryOf({ writtenPhones, text, name, goodKeys, badKeys }: Flock): string {
  const values = [...writtenPhones, text, name, goodKeys[0] ?? '', ...badKeys];
  const names = 'limit cursor status contactId phone to text q name email channel key api_key access_token'.split(' ');
  return names.map((one, index) => `${one}=${encodeURIComponent(values[index % values.length] ?? '')}`).join('&');
}

function headersOf({ writtenPhones, text, name, badKeys }: Flock): Record<string, string> {
  const [phone = ''] = writtenPhones;
  return {
    'content-type': 'application/json',
    'user-agent': `${text} ${phone}`,
    referer: `https://example.org/${phone}?${text}`,
    'x-request-id': text,
    'x-forwarded-for': phone,
    'x-api-key': badKeys[0] ?? '',
    'idempotency-key': text,
    traceparent: `00-${text}-${phone}-01`,
    tracestate: `a=${text}`,
    baggage: `phone=${phone.slice(1)},name=${name}`,
  };
}

/** From one that most routes can use, to what is no JSON; every field that the API knows or may come to know. */
function bodiesOf({ writtenPhones, text, name, badKeys }: Flock): (string | Buffer)[] {
  const [phone = ''] = writtenPhones;
  const fields = {
    to: phone,
    phone,
    text,
    name,
    label: name,
    email: `${name}@example.org`,
    reason: text,
    tags: [text],
    status: 'CLOSED',
    url: `https://example.org/${text}`,
    secret: badKeys[1],
    accessToken: badKeys[2],
    custom: { [text]: phone },
    // A bulk send that can still be paused, resumed and cancelled.
    template: { name: 'welcome', language: 'en_US' },
    recipients: [{ to: phone, clientReference: text }],
    scheduledAt: new Date(Date.now() + 86_400_000).toISOString(),
  };
  const whole = JSON.stringify(fields);
  return [
    whole,
    ...writtenPhones.slice(1).map((to) => JSON.stringify({ ...fields, to, phone: to })),
    JSON.stringify({ ...fields, to: text, phone: name, contactId: phone, messagingChannelId: phone }),
    JSON.stringify({ ...fields, to: [phone], text: { [text]: name } }),
    whole.slice(0, -3),
    `${text} ${phone}`,
    JSON.stringify(text),
    Buffer.concat([Buffer.from(whole.slice(0, 40)), Buffer.from([0xff, 0xfe]), Buffer.from(whole.slice(40))]),
    JSON.stringify({ ...fields, text: `${text}\u0000` }),
    JSON.stringify({ ...fields, filler: text.repeat(60_000) }),
  ];
}
