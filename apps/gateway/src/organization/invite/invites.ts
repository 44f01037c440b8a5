import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { keysetPage, type Database } from '@switchboard/postgres';
import type { Clock } from '@switchboard/service';
import { findMemberByEmail, lockOrganization, roleOfUser } from '../membership/membership.repository.js';
import { requireManaging } from '../membership/role.policy.js';
import type { ActSource, Invite, Invites, NewSession, PageOf, PageWish, Role, SignedIn } from '../people.contract.js';
import { mintSecret } from '../secret/secret.policy.js';
import { emailKey } from '../user/email.policy.js';
import type { AcceptInvite } from './accept-invite.js';
import { deleteInvite, findInvite, findInviteOfEmail, insertInvite, listInvites } from './invite.repository.js';
import { requireSeat } from './seats.js';

/** Seven days. Source: issue 5, members. */
export const INVITE_LIFE_MS = 7 * 24 * 3_600_000;

/** Invitations in the service's own tables; see the contract for what is promised. */
export class DatabaseInvites implements Invites {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly acceptance: AcceptInvite,
  ) {}

  async list(organizationId: string, { limit, cursor }: PageWish): Promise<PageOf<Invite>> {
    const rows = await this.database.query(listInvites, [organizationId, cursor, limit + 1, this.now()]);
    return keysetPage(
      rows,
      limit,
      ({ id }) => id,
      (row): Invite => row,
    );
  }

  async create(
    { organization, user }: SignedIn,
    wish: { readonly email: string; readonly role: Role },
    _source: ActSource,
  ): Promise<Invite & { readonly secret: string }> {
    const now = this.now();
    const { secret, secretHash } = mintSecret();
    const expiresAt = new Date(now.getTime() + INVITE_LIFE_MS);
    const invite = { id: newCuid(), email: emailKey(wish.email), role: wish.role, createdAt: now, expiresAt };
    await this.database.transaction(async (tx) => {
      const [locked] = await tx.query(lockOrganization, [organization.id]);
      const [actor] = await tx.query(roleOfUser, [organization.id, user.id]);
      const [former] = await tx.query(findInviteOfEmail, [organization.id, invite.email]);
      requireManaging(actor?.role, wish.role, former?.role ?? wish.role);
      const [member] = await tx.query(findMemberByEmail, [organization.id, invite.email]);
      if (member) throw new AppError(gatewayErrors.CONFLICT, 'The person with this `email` is a member already');
      if (former) await tx.query(deleteInvite, [former.id]);
      await requireSeat(tx, organization.id, locked?.seats ?? 0, now);
      const { id, email, role } = invite;
      await tx.query(insertInvite, [id, organization.id, email, role, secretHash, now, expiresAt]);
    });
    return { ...invite, secret };
  }

  async revoke({ organization, user }: SignedIn, id: string, _source: ActSource): Promise<void> {
    await this.database.transaction(async (tx) => {
      await tx.query(lockOrganization, [organization.id]);
      const [actor] = await tx.query(roleOfUser, [organization.id, user.id]);
      const [invite] = await tx.query(findInvite, [organization.id, id, this.now()]);
      if (!invite) throw new AppError(gatewayErrors.NOT_FOUND, 'There is no open invitation with this id');
      requireManaging(actor?.role, invite.role);
      await tx.query(deleteInvite, [id]);
    });
  }

  async accept(acceptance: Parameters<Invites['accept']>[0], source: ActSource): Promise<NewSession> {
    return this.acceptance.accept(acceptance, source);
  }

  private now(): Date {
    return new Date(this.clock.now());
  }
}
