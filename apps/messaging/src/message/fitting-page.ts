import type { Page } from '@switchboard/contracts/grammar/page';
import type { MessageView } from '@switchboard/contracts/messaging/http';
import { countWithin, keysetPage } from '@switchboard/postgres';
import { messageView, type MessageRow } from './message-view.js';

/** A message of the broker holds 1 MiB; a hundred long texts are more. */
const ANSWER_BYTES_MAX = 700_000;

/**
 * The page of `limit + 1` rows as it fits into one answer: it may hold fewer than `limit` with a `nextCursor`, never none.
 */
export function fittingPage(rows: readonly MessageRow[], limit: number): Page<MessageView> {
  const views = rows.map(messageView);
  return keysetPage(
    views,
    Math.min(limit, countWithin(ANSWER_BYTES_MAX, views)),
    ({ id }) => id,
    (view) => view,
  );
}
