/**
 * The id of a delivery of an event, as SQL: it follows from the event and what sends it, so that the same is never made twice.
 *
 * @param eventId of the event
 * @param by id of the webhook, for what is sent by itself; of the replay
 * @param dated the id whose time it carries: the event's, or the replay's
 */
export const deliveryIdSql = (eventId: string, by: string, dated = eventId): string =>
  `substr(${dated}, 1, 9) || substr(md5(${eventId} || ${by}), 1, 16)`;
