import type { Payment, Scope } from '../admission.contract.js';

/** What an organization pays for, as far as requests are concerned. */
export interface Subscription {
  readonly plan: string;
  readonly status: 'ACTIVE' | 'PAST_DUE' | 'CANCELED';
  readonly excludedScopes: readonly string[];
}

/** Refused while a payment is due; everything else goes on. Source: docs/api-behaviour.md#subscriptions. */
const SENDING: readonly Scope[] = ['messages:send', 'templates:send'];

/**
 * Why a subscription does not cover a request, as one sentence; null when it does.
 *
 * @param scope null: the route needs nothing that is sold
 * @param payment what must be paid for it
 */
export function paymentRefusalOf(
  subscription: Subscription,
  scope: Scope | null,
  payment: Payment = 'scope',
): string | null {
  if (scope === null || payment === 'nothing') return null;
  if (subscription.status === 'CANCELED') return 'The subscription is canceled';
  if (payment === 'any-plan') return null;
  if (subscription.status === 'PAST_DUE' && SENDING.includes(scope)) {
    return 'A payment is past due: sending is refused until it is settled';
  }
  if (subscription.excludedScopes.includes(scope)) {
    return `The plan ${subscription.plan} does not include \`${scope}\``;
  }
  return null;
}
