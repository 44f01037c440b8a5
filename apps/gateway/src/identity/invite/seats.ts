import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { Transaction } from '@switchboard/postgres';
import { countSeats } from '../member/member.repository.js';

/**
 * Makes sure that a plan has a seat for one more member or invitation. The organization must be locked.
 *
 * @param seats of the plan, with an operator's exception
 * @throws AppError PAYMENT_REQUIRED
 */
export async function requireSeat(tx: Transaction, organizationId: string, seats: number, now: Date): Promise<void> {
  const [taken] = await tx.query(countSeats, [organizationId, now]);
  if (taken && taken.members + taken.invites < seats) return;
  const message =
    seats === 1
      ? 'The plan has 1 seat, and it is taken'
      : `The plan has ${seats} seats, and members and open invitations take all of them`;
  throw new AppError(serviceErrors.PAYMENT_REQUIRED, message);
}
