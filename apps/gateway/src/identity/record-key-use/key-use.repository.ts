import { statement } from '@switchboard/postgres';

/**
 * Moves `last_used_at` on, never back. Rows are locked in the order of their ids before they are written: replicas flush
 * the same keys at the same time.
 */
export const recordKeyUses = statement(
  'gateway.record-key-uses',
  `WITH used AS (
     SELECT u.id, u.at, u.address FROM unnest($1::text[], $2::timestamptz[], $3::inet[]) AS u (id, at, address)
   ), locked AS MATERIALIZED (
     SELECT k.id FROM api_key k WHERE k.id = ANY ($1::text[]) ORDER BY k.id FOR NO KEY UPDATE
   )
   UPDATE api_key k SET last_used_at = u.at, last_used_address = coalesce(u.address, k.last_used_address)
   FROM used u, locked l
   WHERE k.id = u.id AND l.id = k.id AND (k.last_used_at IS NULL OR k.last_used_at < u.at)`,
);
