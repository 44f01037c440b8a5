import type { Transaction } from '@switchboard/postgres';
import type { NewAuditEntry } from '../audit.contract.js';
import { organizationsOfUser } from '../membership/membership.repository.js';
import { appendAudit } from './audit.repository.js';

/**
 * Writes what concerns a person everywhere into the log of each of their organizations, in the transaction that does it.
 *
 * The logs are taken in the order of the organizations' ids, so that two of these never wait for each other; an act that is
 * written into one log alone takes it last. The person must be locked: a membership that is being made is waited for.
 *
 * @returns in how many logs it is: none for somebody who belongs nowhere
 */
export async function appendAuditOfPerson(
  tx: Transaction,
  userId: string,
  entry: Omit<NewAuditEntry, 'organizationId'>,
): Promise<number> {
  const ids = (await tx.query(organizationsOfUser, [userId])).map(({ id }) => id).sort();
  for (const organizationId of ids) appendAudit(tx, { ...entry, organizationId });
  return ids.length;
}
