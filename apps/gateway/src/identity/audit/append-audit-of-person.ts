import type { Transaction } from '@switchboard/postgres';
import type { NewAuditEntry } from '../audit.contract.js';
import { organizationsOfUser } from '../member/member.repository.js';
import { appendAudits } from './audit.repository.js';

/**
 * Writes what concerns a person everywhere into the log of each of their organizations, in the transaction that does it.
 *
 * The logs are taken in the order of the organizations' ids, so that two of these never wait for each other; an act that is
 * written into one log alone takes it last. The person must be locked: a membership that is being made is waited for.
 *
 * @returns the number of logs; 0 for a person who belongs to no organization
 */
export async function appendAuditOfPerson(
  tx: Transaction,
  userId: string,
  entry: Omit<NewAuditEntry, 'organizationId'>,
): Promise<number> {
  const ids = (await tx.query(organizationsOfUser, [userId])).map(({ id }) => id);
  appendAudits(
    tx,
    ids.map((organizationId) => ({ ...entry, organizationId })),
  );
  return ids.length;
}
