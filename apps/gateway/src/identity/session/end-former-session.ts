import type { Transaction } from '@switchboard/postgres';
import type { NewAuditEntry } from '../audit.contract.js';
import { userAct } from '../audit/user-act.policy.js';
import { hashOfSecret } from '../secret/secret.policy.js';
import type { ActSource } from '../signed-in.contract.js';
import { sessionBounds } from './session.policy.js';
import { endSessionOfSecret } from './session.repository.js';

/**
 * Ends the session that a browser brings along where another one is begun for it, perhaps another person's: its own person has signed out
 * with that.
 *
 * @param secret as the browser has it, valid or not; null: it has none
 * @returns what the audit log is to hold of it, in the organization of that session; nothing where none ended
 */
export async function endFormerSession(
  tx: Transaction,
  secret: string | null,
  nowMs: number,
  source: ActSource,
): Promise<NewAuditEntry[]> {
  if (secret === null) return [];
  const { seenAfter, signedInAfter } = sessionBounds(nowMs);
  const ended = await tx.query(endSessionOfSecret, [hashOfSecret(secret), seenAfter, signedInAfter]);
  return ended.map(({ userId: id, email, organizationId }) => {
    const act = userAct({ id, email }, organizationId, source);
    return { ...act, action: 'user.signed-out', before: null, after: null };
  });
}
