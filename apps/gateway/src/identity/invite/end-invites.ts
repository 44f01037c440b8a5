import type { Transaction } from '@switchboard/postgres';
import type { Act, AuditedState } from '../audit.contract.js';
import { appendAudit } from '../audit/audit.repository.js';
import { mayManage } from '../member/role.policy.js';
import { roles, type Role } from '../signed-in.contract.js';
import { deleteInvitesOfMaker, type InviteRow } from './invite.repository.js';

/**
 * Ends the open invitations of a person who loses the right to make them, in the transaction that takes it: else somebody
 * who was removed comes back by an invitation of their own. The organization must be locked.
 *
 * @param act in the organization's log
 * @param role what is left to the person; null: nothing, the membership ends
 */
export async function endInvitesBeyond(tx: Transaction, act: Act, userId: string, role: Role | null): Promise<void> {
  const beyond = roles.filter((one) => role === null || !mayManage(role, one));
  const ended = await tx.query(deleteInvitesOfMaker, [act.organizationId, userId, beyond]);
  for (const invite of ended) {
    appendAudit(tx, { ...act, action: 'invite.revoked', before: auditedInvite(invite), after: null });
  }
}

/** An invitation in the form of the audit log. */
export function auditedInvite({ id, email, role, expiresAt }: InviteRow): AuditedState {
  return { id, email, role, expiresAt: expiresAt.toISOString() };
}
