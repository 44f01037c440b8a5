/**
 * What the floor runs for a message: the rows that messaging writes, in two statements of its schema, each one round
 * trip and one commit.
 */

/** Channel, contact, opt-out, conversation, message, mark of the attempt, two events' rows (the opening only when new). */
export const ACCEPT = `
  WITH known AS (
    SELECT ch.id AS channel_id, ch.phone_number_id, p.id AS contact_id, p.name, p.phone, p.messaging_id
    FROM channel ch, contact_phone f JOIN contact p ON p.organization_id = f.organization_id AND p.id = f.contact_id
    WHERE ch.organization_id = $1 AND ch.is_default AND ch.status = 'CONNECTED'
      AND f.organization_id = $1 AND f.phone = $3
      AND NOT EXISTS (SELECT FROM suppression s WHERE s.organization_id = $1 AND s.contact_id = p.id
        AND s.channel_id IN (ch.id, '*'))
  ), conv AS (
    INSERT INTO conversation AS c (organization_id, channel_id, contact_id, id, status, position, last_message_at,
      event_sequence, opened_by)
    SELECT $1, channel_id, contact_id, $5, 'OPEN', substr($2, 1, 9) || substr($5, 10), $6, 2, $2 FROM known
    ON CONFLICT (organization_id, channel_id, contact_id) DO UPDATE SET
      position = greatest(c.position, substr(excluded.position, 1, 9) || substr(c.id, 10)),
      last_message_at = greatest(c.last_message_at, excluded.last_message_at), event_sequence = c.event_sequence + 1
    RETURNING c.id, c.event_sequence
  ), msg AS (
    INSERT INTO message (organization_id, id, conversation_id, contact_id, channel_id, direction, type, text, status,
      attempted_at)
    SELECT $1, $2, conv.id, known.contact_id, known.channel_id, 'OUTBOUND', 'TEXT', $4, 'QUEUED', now() FROM known, conv
  ), mark AS (
    INSERT INTO dispatch (organization_id, message_id, channel_id, contact_id, recipient_phone, state, due_at, attempts,
      lease)
    SELECT $1, $2, channel_id, contact_id, $3, 'DISPATCHING', now() + interval '45 s', 1, $2 FROM known
  ), event AS (
    INSERT INTO outbox (id, aggregate_id, subject, payload, traceparent)
    SELECT $7, conv.id, 'messaging.message.accepted.v1', replace(replace(replace($8, '%conversation%', conv.id),
      '%contact%', contact_id), '%channel%', channel_id), NULL FROM known, conv
  )
  SELECT conv.id AS "conversationId", conv.event_sequence AS sequence, contact_id AS "contactId",
    channel_id AS "channelId", phone_number_id AS "phoneNumberId" FROM known, conv`;

/** The upstream took it: message, number of the event, closed mark, upstream's id, event. */
export const SETTLE = `
  WITH conv AS (
    UPDATE conversation SET event_sequence = event_sequence + 1 WHERE organization_id = $1 AND id = $3
  ), msg AS (
    UPDATE message SET status = 'SENT', upstream_message_id = $4, sent_at = attempted_at
    WHERE organization_id = $1 AND id = $2
  ), mark AS (
    DELETE FROM dispatch WHERE organization_id = $1 AND message_id = $2
  ), mapped AS (
    INSERT INTO upstream_message (channel_id, upstream_message_id, organization_id, message_id)
    VALUES ($5, $4, $1, $2) ON CONFLICT DO NOTHING
  )
  INSERT INTO outbox (id, aggregate_id, subject, payload, traceparent)
  VALUES ($6, $3, 'messaging.message.sent.v1', $7, NULL)`;

/** The key, and nothing else of admission. */
export const CHECK_KEY =
  'SELECT organization_id AS "organizationId" FROM gateway.api_key WHERE secret_hash = $1 AND revoked_at IS NULL';
