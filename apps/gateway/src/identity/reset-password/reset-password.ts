import { randomBytes } from 'node:crypto';
import type { Database, Transaction } from '@switchboard/postgres';
import type { Act } from '../audit.contract.js';
import { appendAuditOfPerson } from '../audit/append-audit-of-person.js';
import { appendAudit } from '../audit/audit.repository.js';
import { endInvitesBeyond } from '../invite/end-invites.js';
import { accountSubject } from '../login-throttle/login-throttle.policy.js';
import { forgetAttempts } from '../login-throttle/login-throttle.repository.js';
import {
  auditedMember,
  confirmMemberships,
  deleteUnconfirmedMemberships,
  lockOrganizationPeople,
  unconfirmedMemberships,
} from '../member/member.repository.js';
import { hashPassword } from '../password/password.policy.js';
import { deleteUnconfirmedSecondFactor } from '../second-factor/second-factor.repository.js';
import { endSessionsOfUser } from '../session/session.repository.js';
import { dropUnconfirmedName, lockUser, setPasswordHash } from '../user/user.repository.js';
import { accountOf } from '../user/account-of.js';

/** A password that was just made. */
export interface ResetPassword {
  /** 144 random bits, base64url; shown once. */
  readonly password: string;
  /** Audit logs that it is in: of every organization of the person's. */
  readonly logs: number;
  /** Organizations whose membership was never confirmed, and has ended. */
  readonly left: readonly string[];
}

/** What becomes of memberships that were never confirmed. */
export type Unconfirmed = 'end' | 'keep';

/**
 * Gives an account to its owner: makes a new password, ends all sessions and forgets known browsers and login attempts.
 *
 * Whoever held the account until now may not have been its owner: an invitation makes the account of an address for the
 * person who has the link. So memberships that were never confirmed end, unless the operator keeps them; what is joined from
 * now on is confirmed.
 *
 * @throws AppError NOT_FOUND when the address has no account
 */
export async function resetPassword(
  database: Pick<Database, 'transaction'>,
  act: Omit<Act, 'organizationId'>,
  email: string,
  unconfirmed: Unconfirmed = 'end',
): Promise<ResetPassword> {
  const password = randomBytes(18).toString('base64url');
  const passwordHash = await hashPassword(password);
  return database.transaction(async (tx) => {
    const user = await accountOf(tx, email);
    // Organizations before the person, as everywhere.
    const doubtful = await tx.query(unconfirmedMemberships, [user.id]);
    for (const { organizationId } of doubtful) await tx.query(lockOrganizationPeople, [organizationId]);
    await tx.query(lockUser, [user.id]);
    await tx.query(endSessionsOfUser, [user.id, null, null]);
    await tx.query(forgetAttempts, [accountSubject(user.email)]);
    const after = { userId: user.id, email: user.email };
    const entry = { ...act, action: 'user.password-reset', before: null, after } as const;
    const logs = await appendAuditOfPerson(tx, user.id, entry);
    const left = unconfirmed === 'end' ? await endUnconfirmed(tx, act, user.id) : [];
    await tx.query(setPasswordHash, [user.id, passwordHash]);
    await tx.query(confirmMemberships, [user.id]);
    return { password, logs, left };
  });
}

/** @returns the organizations; the only owner of one stays, and is confirmed by the reset */
async function endUnconfirmed(
  tx: Transaction,
  act: Omit<Act, 'organizationId'>,
  userId: string,
): Promise<readonly string[]> {
  // Whoever held the account may have given it a second factor of theirs, and a name.
  await tx.query(deleteUnconfirmedSecondFactor, [userId]);
  await tx.query(dropUnconfirmedName, [userId]);
  const ended = await tx.query(deleteUnconfirmedMemberships, [userId]);
  for (const member of ended) {
    const own = { ...act, organizationId: member.organizationId };
    appendAudit(tx, { ...own, action: 'member.removed', before: auditedMember(member), after: null });
    await endInvitesBeyond(tx, own, userId, null);
  }
  return ended.map(({ organizationId }) => organizationId);
}
