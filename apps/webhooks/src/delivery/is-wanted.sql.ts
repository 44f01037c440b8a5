/**
 * Whether a pending delivery is still to be sent, as SQL: its webhook subscribes to the event, or a person has asked for it by hand.
 *
 * @param delivery alias of the delivery; the webhook is `w`
 */
export const isWantedSql = (delivery: string): string =>
  `(${delivery}.kind = 'MANUAL' OR ${delivery}.type = ANY (w.events))`;
