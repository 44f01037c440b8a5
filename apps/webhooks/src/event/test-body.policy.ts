import type { TestWebhook } from '@switchboard/contracts/webhooks/http';

/**
 * The body of a test send: it follows from what its attempt records, so that it need not be stored.
 *
 * Source: docs/api-behaviour.md#events-types.
 */
export function testBodyOf(organizationId: string, dataId: string, at: Date): TestWebhook {
  return { event: 'webhook.test', timestamp: at.toISOString(), organizationId, data: { id: dataId } };
}
