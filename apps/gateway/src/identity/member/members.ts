import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { Database, readKeysetPage, type Transaction } from '@switchboard/postgres';
import { CLOCK, type Clock } from '@switchboard/platform';
import { appendAudit } from '../audit/audit.repository.js';
import { signedInAct } from '../audit/user-act.policy.js';
import {
  auditedMember,
  changeMemberRole,
  deleteMembership,
  findMember,
  hasOtherOwner,
  listMembers,
  lockOrganizationPeople,
  type MemberRow,
} from './member.repository.js';
import { requireManaging } from './role.policy.js';
import { endInvitesBeyond } from '../invite/end-invites.js';
import type { Member, Members, PageOf, PageInput } from '../people.contract.js';
import type { ActSource, NewSession, Role, SignedIn } from '../signed-in.contract.js';
import { beginSession } from '../session/begin-session.js';
import { roleInSession } from '../session/hold-session.js';
import { endSessionsOfUser } from '../session/session.repository.js';
import { lockUser } from '../user/user.repository.js';

/** Members in the service's own tables; see the contract for what is promised. */
@Injectable()
export class DatabaseMembers implements Members {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async list(organizationId: string, { limit, cursor }: PageInput): Promise<PageOf<Member>> {
    return readKeysetPage(
      limit,
      (rowsMax) => this.database.query(listMembers, [organizationId, cursor, rowsMax]),
      ({ id }) => id,
      memberOf,
    );
  }

  async changeRole(
    signedIn: SignedIn,
    { id, role }: { readonly id: string; readonly role: Role },
    source: ActSource,
  ): Promise<{ readonly member: Member; readonly renewed: NewSession | null }> {
    return this.database.transaction(
      async (tx) => {
        const target = await this.managed(tx, signedIn, id, role);
        const member = { ...memberOf(target), role };
        if (target.role === role) return { member, renewed: null };
        if (role !== 'OWNER') await keepAnOwner(tx, signedIn.organization.id, target);
        const isOwn = target.userId === signedIn.user.id;
        await tx.query(changeMemberRole, [id, role]);
        const renewed = isOwn ? await this.renew(tx, signedIn, source) : null;
        const kept = renewed?.signedIn.sessionId ?? null;
        await tx.query(endSessionsOfUser, [target.userId, signedIn.organization.id, kept]);
        const [before, after] = [auditedMember(target), auditedMember({ ...target, role })];
        const act = signedInAct(signedIn, source);
        appendAudit(tx, { ...act, action: 'member.role-changed', before, after });
        await endInvitesBeyond(tx, act, target.userId, role);
        return { member, renewed };
      },
      { tenant: signedIn.organization.id },
    );
  }

  async remove(signedIn: SignedIn, id: string, source: ActSource): Promise<void> {
    await this.database.transaction(
      async (tx) => {
        const target = await this.managed(tx, signedIn, id);
        await keepAnOwner(tx, signedIn.organization.id, target);
        await tx.query(deleteMembership, [id]);
        await tx.query(endSessionsOfUser, [target.userId, signedIn.organization.id, null]);
        const act = signedInAct(signedIn, source);
        appendAudit(tx, { ...act, action: 'member.removed', before: auditedMember(target), after: null });
        await endInvitesBeyond(tx, act, target.userId, null);
      },
      { tenant: signedIn.organization.id },
    );
  }

  /**
   * Locks the organization and finds a member whom the person who acts may manage, now. The member's person is locked before
   * anything of theirs or of the actor's, as everywhere: else two changes could wait for each other.
   */
  private async managed(
    tx: Transaction,
    { organization, sessionId }: SignedIn,
    id: string,
    role?: Role,
  ): Promise<MemberRow> {
    await tx.query(lockOrganizationPeople, [organization.id]);
    const [target] = await tx.query(findMember, [organization.id, id]);
    if (target) await tx.query(lockUser, [target.userId]);
    const actor = await roleInSession(tx, sessionId, organization.id);
    if (!target) throw new AppError(serviceErrors.NOT_FOUND, 'There is no member with this id');
    requireManaging(actor, target.role, role ?? target.role);
    return target;
  }

  private async renew(
    tx: Transaction,
    { sessionId, user, organization }: SignedIn,
    source: ActSource,
  ): Promise<NewSession | null> {
    const owner = { userId: user.id, organizationId: organization.id, passwordHash: null, source };
    return beginSession(tx, owner, new Date(this.clock.now()), sessionId);
  }
}

async function keepAnOwner(tx: Transaction, organizationId: string, { id, role }: MemberRow): Promise<void> {
  if (role !== 'OWNER') return;
  const [other] = await tx.query(hasOtherOwner, [organizationId, id]);
  if (!other?.is) throw new AppError(serviceErrors.CONFLICT, 'An organization must keep at least one owner');
}

function memberOf({ id, userId, email, userName, role, createdAt }: MemberRow): Member {
  return { id, user: { id: userId, email, name: userName }, role, createdAt };
}
