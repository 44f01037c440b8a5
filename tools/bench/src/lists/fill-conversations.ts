import type pg from 'pg';

/** What was made, as far as questions need it. */
export interface FilledLists {
  readonly channelId: string;
  readonly contactId: string;
  /** Of the conversation with very many messages. */
  readonly busyId: string;
  /** Of a conversation whose messages are all of a year ago. */
  readonly oldId: string;
}

/** A year of months behind the one before this, as a platform has them that is not new. */
const MONTHS = `
  SELECT messaging.ensure_partition('message', month, month + interval '1 month', to_char(month, 'YYYYMM'))
  FROM generate_series(date_trunc('month', now() AT TIME ZONE 'UTC') - interval '13 months',
    date_trunc('month', now() AT TIME ZONE 'UTC') - interval '2 months', interval '1 month') AS month`;

/** One contact and one conversation a second of the past, on two channels in turns of 9 to 1, one in five CLOSED; `phoneOf` is its number. */
const CONVERSATIONS = `
  WITH made AS (
    SELECT n, messaging.cuid_floor(now() - n * interval '1 second') || lpad(n::text, 16, '0') AS id,
      now() - n * interval '1 second' AS at
    FROM generate_series(1, $2::int) AS n
  ), known AS (
    INSERT INTO messaging.contact (organization_id, id, phone, messaging_id, name, version)
    SELECT $1, id, '+1415' || 2000000 + n, '1415' || 2000000 + n, 'Contact ' || n, 1 FROM made
  )
  INSERT INTO messaging.conversation (organization_id, id, channel_id, contact_id, status, position, last_message_at,
    event_sequence)
  SELECT $1, id, CASE WHEN n % 10 = 0 THEN $4 ELSE $3 END, id, CASE WHEN n % 5 = 0 THEN 'CLOSED' ELSE 'OPEN' END, id,
    at, 2
  FROM made`;

/** So many messages of one conversation, evenly over so many days that end so many days ago. */
const MESSAGES = `
  INSERT INTO messaging.message (organization_id, id, conversation_id, contact_id, channel_id, direction, type, text, status)
  SELECT $1, messaging.cuid_floor(now() - make_interval(days => $5) - n * make_interval(days => $4) / $3) ||
    lpad(n::text, 16, $6), $2, $2, $2, 'INBOUND', 'TEXT', 'Your order has left the warehouse.', 'RECEIVED'
  FROM generate_series(1, $3::int) AS n`;

/** A message of every fourth conversation, among which those of a page must be found. */
const NEIGHBOURS = `
  INSERT INTO messaging.message (organization_id, id, conversation_id, contact_id, channel_id, direction, type, text, status)
  SELECT organization_id, id, id, contact_id, channel_id, 'OUTBOUND', 'TEXT', 'Hello', 'SENT' FROM messaging.conversation
  WHERE organization_id = $1 AND id >= messaging.cuid_floor(now() - interval '28 days') AND hashtext(id) % 4 = 0`;

/** The number of the nth of these contacts, E.164; one of ten has its conversation on the second channel. */
export function phoneOf(n: number): string {
  return `+1415${2_000_000 + n}`;
}

/** Gives a conversation so many messages of the last four weeks. */
export async function fillThread(
  client: pg.Client,
  organizationId: string,
  conversationId: string,
  messages: number,
): Promise<void> {
  await client.query(MESSAGES, [organizationId, conversationId, messages, 28, 0, 'z']);
  await client.query('VACUUM ANALYZE messaging.message');
}

/** Makes an inbox of so many conversations; one of them has so many messages of the last four weeks. */
export async function fillConversations(
  client: pg.Client,
  organizationId: string,
  size: { readonly conversations: number; readonly messages: number },
): Promise<FilledLists> {
  const channels = await client.query<{ id: string }>(
    'SELECT id FROM messaging.channel WHERE organization_id = $1 ORDER BY is_default DESC',
    [organizationId],
  );
  const [first, second] = channels.rows;
  if (!first || !second) throw new Error('the organization needs two channels');
  await client.query(MONTHS);
  await client.query(CONVERSATIONS, [organizationId, size.conversations, first.id, second.id]);
  const ends = await client.query<{ newest: string; oldest: string }>(
    'SELECT max(id) AS newest, min(id) AS oldest FROM messaging.conversation WHERE organization_id = $1',
    [organizationId],
  );
  const { newest = '', oldest = '' } = ends.rows[0] ?? {};
  await client.query(NEIGHBOURS, [organizationId]);
  await client.query(MESSAGES, [organizationId, newest, size.messages, 28, 0, 'x']);
  await client.query(MESSAGES, [organizationId, oldest, 200, 20, 370, 'y']);
  await client.query('VACUUM ANALYZE messaging.contact, messaging.conversation, messaging.message');
  return { channelId: second.id, contactId: newest, busyId: newest, oldId: oldest };
}
