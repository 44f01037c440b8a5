import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { cuidTime, newCuid } from '@switchboard/contracts/grammar/cuid';
import pg from 'pg';
import { Pool } from 'undici';
import { serveFloor } from '../serve-floor.js';
import { floorConfig } from './floor.config.js';
import { ACCEPT, CHECK_KEY, SETTLE } from './floor.sql.js';

/**
 * The floor of `POST /v1/messages`: one hand-tuned process without framework, broker, validation library or coalescing,
 * that writes the same rows in the same two commits and makes the same upstream call.
 */
const config = floorConfig();
const database = new pg.Pool({
  connectionString: config.databaseUrl,
  max: 8,
  options: '-c search_path=messaging -c plan_cache_mode=force_generic_plan -c jit=off',
});
const upstream = new Pool(config.upstreamUrl, { connections: 256 });

interface Accepted {
  readonly conversationId: string;
  readonly contactId: string;
  readonly channelId: string;
  readonly phoneNumberId: string;
  readonly sequence: string;
}

serveFloor(send);

async function send(bytes: Buffer, headers: IncomingHttpHeaders): Promise<unknown> {
  const body = JSON.parse(bytes.toString('utf8')) as { readonly to: string; readonly text: string };
  const key = headers.authorization?.slice('Bearer '.length) ?? '';
  const hash = createHash('sha256').update(key).digest();
  const keys = await database.query<{ organizationId: string }>({ name: 'key', text: CHECK_KEY, values: [hash] });
  const organizationId = keys.rows[0]?.organizationId;
  if (!organizationId || body.text.length > 4_096 || body.to.length > 32) throw new Error('refused');

  const id = newCuid();
  const createdAt = cuidTime(id);
  const view = viewOf(id, body.text, createdAt);
  const event = { id: newCuid(), subject: 'messaging.message.accepted.v1', organizationId };
  const values = [
    organizationId,
    id,
    body.to,
    body.text,
    newCuid(),
    createdAt,
    event.id,
    JSON.stringify({ ...event, aggregateId: '%conversation%', sequence: 0, occurredAt: createdAt, data: view }),
  ];
  const accepted = (await database.query<Accepted>({ name: 'accept', text: ACCEPT, values })).rows[0];
  if (!accepted) throw new Error('not accepted');
  const upstreamMessageId = await callUpstream(accepted.phoneNumberId, id, body);
  await settle(organizationId, id, accepted, upstreamMessageId, view);
  return { id, conversationId: accepted.conversationId, contactId: accepted.contactId, upstreamMessageId };
}

function viewOf(id: string, text: string, createdAt: Date): Record<string, unknown> {
  const outbound = { direction: 'OUTBOUND', type: 'TEXT', unsupportedType: null, template: null, status: 'QUEUED' };
  const places = { conversationId: '%conversation%', contactId: '%contact%', messagingChannelId: '%channel%' };
  const times = { createdAt, sentAt: null, deliveredAt: null, readAt: null, failedAt: null };
  return { id, ...places, ...outbound, text, upstreamMessageId: null, error: null, ...times };
}

async function callUpstream(line: string, reference: string, body: { to: string; text: string }): Promise<string> {
  const sent = await upstream.request({
    method: 'POST',
    path: `/v23.0/${line}/messages`,
    headers: { authorization: `Bearer ${config.accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: body.to,
      type: 'text',
      text: { preview_url: false, body: body.text },
      biz_opaque_callback_data: reference,
    }),
  });
  const accepted = (await sent.body.json()) as { messages?: { id: string }[] };
  const id = accepted.messages?.[0]?.id;
  if (!id) throw new Error(`the upstream refused: ${JSON.stringify(accepted)}`);
  return id;
}

async function settle(
  organizationId: string,
  id: string,
  accepted: Accepted,
  upstreamMessageId: string,
  view: Record<string, unknown>,
): Promise<void> {
  const event = { id: newCuid(), subject: 'messaging.message.sent.v1', organizationId };
  const { conversationId, contactId, channelId: messagingChannelId } = accepted;
  const message = { ...view, conversationId, contactId, messagingChannelId, status: 'SENT', upstreamMessageId };
  const sequence = Number(accepted.sequence) + 1;
  const payload = { ...event, aggregateId: conversationId, sequence, occurredAt: new Date(), data: { message } };
  const values = [
    organizationId,
    id,
    conversationId,
    upstreamMessageId,
    messagingChannelId,
    event.id,
    JSON.stringify(payload),
  ];
  await database.query({ name: 'settle', text: SETTLE, values });
}
