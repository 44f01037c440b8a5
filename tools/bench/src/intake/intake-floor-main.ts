import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import pg from 'pg';
import { serveFloor } from '../serve-floor.js';
import { intakeFloorConfig } from './intake-floor.config.js';

/**
 * The floor of the provider's callbacks: one hand-tuned process that verifies a callback of one item, and commits its event as the
 * gateway's outbox has it, in one prepared statement; no framework, no coalescing, no limits, no metrics, no traces.
 */
const config = intakeFloorConfig();
const database = new pg.Pool({
  connectionString: config.databaseUrl,
  max: 8,
  options: '-c search_path=gateway -c plan_cache_mode=force_generic_plan -c jit=off',
});
const APPEND = 'INSERT INTO outbox (id, aggregate_id, subject, payload, traceparent) VALUES ($1, $2, $3, $4, NULL)';

interface Value {
  readonly metadata: { readonly phone_number_id: string };
  readonly statuses?: readonly Item[];
  readonly messages?: readonly Item[];
}

interface Item {
  readonly id: string;
  readonly timestamp: string;
  readonly from?: string;
}

serveFloor(take);

async function take(body: Buffer, headers: IncomingHttpHeaders): Promise<object> {
  const shown = Buffer.from(String(headers['x-hub-signature-256']).slice('sha256='.length), 'hex');
  const expected = createHmac('sha256', config.appSecret).update(body).digest();
  if (shown.length !== expected.length || !timingSafeEqual(shown, expected)) throw new Error('not signed');
  const callback = JSON.parse(body.toString('utf8')) as { entry: { changes: { value: Value }[] }[] };
  const value = callback.entry[0]?.changes[0]?.value;
  const status = value?.statuses?.[0];
  const item = status ?? value?.messages?.[0];
  if (!value || !item) throw new Error('no item');
  const phoneNumberId = value.metadata.phone_number_id;
  const aggregateId = status ? item.id : `${phoneNumberId}:${item.from}`;
  const subject = `gateway.callback.${status ? 'status' : 'message'}.v1`;
  const id = newCuid();
  const occurredAt = new Date(Number(item.timestamp) * 1_000);
  const envelope = { id, subject, organizationId: null, aggregateId, sequence: null, occurredAt };
  const payload = JSON.stringify({ ...envelope, data: { phoneNumberId, item } });
  await database.query({ name: 'append', text: APPEND, values: [id, aggregateId, subject, payload] });
  return {};
}
