import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { Database, readKeysetPage } from '@switchboard/postgres';
import { CLOCK, type Clock } from '@switchboard/platform';
import { appendAudit } from '../audit/audit.repository.js';
import { signedInAct } from '../audit/user-act.policy.js';
import { findMemberByEmail, lockOrganizationPeople } from '../member/member.repository.js';
import { requireManaging } from '../member/role.policy.js';
import type { Invite, Invites, PageOf, PageInput } from '../people.contract.js';
import type { ActSource, NewSession, Role, SignedIn } from '../signed-in.contract.js';
import { mintSecret } from '../secret/secret.policy.js';
import { roleInSession } from '../session/hold-session.js';
import { emailKey } from '../user/email.policy.js';
import { AcceptInvite } from '../accept-invite/accept-invite.js';
import { auditedInvite } from './end-invites.js';
import { deleteInvite, findInvite, findInviteOfEmail, insertInvite, listInvites } from './invite.repository.js';
import { requireSeat } from './seats.js';

/** Seven days. Source: docs/api-behaviour.md#application. */
const INVITE_LIFE_MS = 7 * 24 * 3_600_000;

/** Invitations in the service's own tables; see the contract for what is promised. */
@Injectable()
export class DatabaseInvites implements Invites {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly acceptance: AcceptInvite,
  ) {}

  async list(organizationId: string, { limit, cursor }: PageInput): Promise<PageOf<Invite>> {
    return readKeysetPage(
      limit,
      (rowsMax) => this.database.query(listInvites, [organizationId, cursor, rowsMax, this.now()]),
      ({ id }) => id,
      (row): Invite => row,
    );
  }

  async create(
    signedIn: SignedIn,
    input: { readonly email: string; readonly role: Role },
    source: ActSource,
  ): Promise<Invite & { readonly secret: string }> {
    const { organization, sessionId } = signedIn;
    const act = signedInAct(signedIn, source);
    const now = this.now();
    const { secret, secretHash } = mintSecret();
    const expiresAt = new Date(now.getTime() + INVITE_LIFE_MS);
    const invite = { id: newCuid(), email: emailKey(input.email), role: input.role, createdAt: now, expiresAt };
    await this.database.transaction(
      async (tx) => {
        const [locked] = await tx.query(lockOrganizationPeople, [organization.id]);
        const actor = await roleInSession(tx, sessionId, organization.id);
        const [former] = await tx.query(findInviteOfEmail, [organization.id, invite.email]);
        // One that has expired gives nothing any more, and is deleted sooner or later: it is in no one's way.
        const open = former && former.expiresAt > now ? former : undefined;
        requireManaging(actor, input.role, open?.role ?? input.role);
        const [member] = await tx.query(findMemberByEmail, [organization.id, invite.email]);
        if (member) throw new AppError(serviceErrors.CONFLICT, 'The person with this `email` is a member already');
        if (former) await tx.query(deleteInvite, [former.id]);
        if (open) appendAudit(tx, { ...act, action: 'invite.revoked', before: auditedInvite(open), after: null });
        await requireSeat(tx, organization.id, locked?.seats ?? 0, now);
        const { id, email, role } = invite;
        const values = [id, organization.id, email, role, secretHash, now, expiresAt, signedIn.user.id];
        await tx.query(insertInvite, values);
        appendAudit(tx, { ...act, action: 'invite.created', before: null, after: auditedInvite(invite) });
      },
      { tenant: organization.id },
    );
    return { ...invite, secret };
  }

  async revoke(signedIn: SignedIn, id: string, source: ActSource): Promise<void> {
    const { organization, sessionId } = signedIn;
    await this.database.transaction(
      async (tx) => {
        await tx.query(lockOrganizationPeople, [organization.id]);
        const actor = await roleInSession(tx, sessionId, organization.id);
        const [invite] = await tx.query(findInvite, [organization.id, id, this.now()]);
        if (!invite) throw new AppError(serviceErrors.NOT_FOUND, 'There is no open invitation with this id');
        requireManaging(actor, invite.role);
        await tx.query(deleteInvite, [id]);
        const act = signedInAct(signedIn, source);
        appendAudit(tx, { ...act, action: 'invite.revoked', before: auditedInvite(invite), after: null });
      },
      { tenant: organization.id },
    );
  }

  async accept(acceptance: Parameters<Invites['accept']>[0], source: ActSource): Promise<NewSession> {
    return this.acceptance.accept(acceptance, source);
  }

  private now(): Date {
    return new Date(this.clock.now());
  }
}
