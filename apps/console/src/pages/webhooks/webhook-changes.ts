import type { Webhook } from '../../api/api.generated.js';

/** What people set of a webhook. */
export type WebhookFields = Pick<Webhook, 'url' | 'events' | 'description'>;

/**
 * The fields that a form has changed, and no other: what a colleague has changed meanwhile stays, and a URL whose name does not resolve
 * just now keeps no other change from being saved.
 *
 * @param before when the form was opened
 */
export function changesOf(before: WebhookFields, after: WebhookFields): Partial<WebhookFields> {
  return {
    ...(after.url === before.url ? {} : { url: after.url }),
    ...(isSameSet(after.events, before.events) ? {} : { events: after.events }),
    ...(after.description === before.description ? {} : { description: after.description }),
  };
}

/** Whether two lists without repetitions hold the same, in any order. */
export function isSameSet(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((one) => others.includes(one));
}
