import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { Scope } from '../identity/admission.contract.js';
import type { People } from '../identity/people.contract.js';

/** The number of messages that the organization's plan has in a month. @throws PAYMENT_REQUIRED where it does not cover the scope */
export async function paidQuota(
  people: Pick<People, 'paidFor'>,
  organizationId: string,
  scope: Scope,
): Promise<number> {
  const { refusal, messagesPerMonth } = await people.paidFor(organizationId, scope);
  if (refusal !== null) throw new AppError(serviceErrors.PAYMENT_REQUIRED, refusal);
  return messagesPerMonth;
}
