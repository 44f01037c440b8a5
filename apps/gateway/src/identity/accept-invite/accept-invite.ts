import { Inject, Injectable } from '@nestjs/common';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { Database, type Transaction } from '@switchboard/postgres';
import { CLOCK, type Clock } from '@switchboard/platform';
import { appendAudit } from '../audit/audit.repository.js';
import { signedInAct } from '../audit/user-act.policy.js';
import { LoginThrottle } from '../login-throttle/login-throttle.js';
import { insertMembership, lockOrganization } from '../member/member.repository.js';
import { passwordProblem } from '../password/password.policy.js';
import { Passwords } from '../password/passwords.js';
import type { ActSource, Invites, NewSession } from '../people.contract.js';
import { hashOfSecret, isPlausibleSecret } from '../secret/secret.policy.js';
import { beginSession } from '../session/begin-session.js';
import { endSessionOfSecret } from '../session/session.repository.js';
import { FailedSignIns } from '../audit/failed-sign-ins.js';
import { findUserByEmail, insertUser, type UserRow } from '../user/user.repository.js';
import { deleteInvite, findInviteOfSecret, type InviteRow } from '../invite/invite.repository.js';
import { requireSeat } from '../invite/seats.js';

type Acceptance = Parameters<Invites['accept']>[0];
type FoundInvite = InviteRow & { readonly organizationId: string };

/** Accepting an invitation; see the contract for what is promised. */
@Injectable()
export class AcceptInvite {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly passwords: Passwords,
    private readonly throttle: LoginThrottle,
    private readonly failures: FailedSignIns,
  ) {}

  async accept(acceptance: Acceptance, source: ActSource): Promise<NewSession> {
    const { secret, formerSecret } = acceptance;
    const now = new Date(this.clock.now());
    const values = [hashOfSecret(secret), now];
    const [invite] = isPlausibleSecret(secret) ? await this.database.query(findInviteOfSecret, values) : [];
    if (!invite) throw goneInvite();
    // Hashing takes a while: not in the transaction.
    const { user, isNew } = await this.personOf(invite, acceptance, source);
    return this.database.transaction(async (tx) => {
      const [locked] = await tx.query(lockOrganization, [invite.organizationId]);
      const [deleted] = await tx.query(deleteInvite, [invite.id]);
      if (!deleted) throw goneInvite();
      await requireSeat(tx, invite.organizationId, locked?.seats ?? 0, now);
      if (isNew) await this.insert(tx, user);
      const [joined] = await tx.query(insertMembership, [newCuid(), invite.organizationId, user.id, invite.role]);
      if (!joined) throw new AppError(serviceErrors.CONFLICT, 'You are a member of this organization already');
      const { organizationId } = invite;
      const begun = await beginSession(
        tx,
        { userId: user.id, organizationId, passwordHash: user.passwordHash },
        now,
        null,
      );
      if (!begun) throw new AppError(serviceErrors.CONFLICT, 'The password was changed at the same moment');
      const { id, email, role } = invite;
      const act = signedInAct(begun.signedIn, source);
      appendAudit(tx, {
        ...act,
        action: 'invite.accepted',
        before: { id, email, role },
        after: { id: joined.id, role },
      });
      appendAudit(tx, { ...act, action: 'user.signed-in', before: null, after: { role } });
      if (formerSecret !== null) await tx.query(endSessionOfSecret, [hashOfSecret(formerSecret)]);
      return begun;
    });
  }

  /** Who accepts: the person whose address was invited, by their password, or a new one with the password they want. */
  private async personOf(
    { email }: FoundInvite,
    { name, password }: Acceptance,
    source: ActSource,
  ): Promise<{ readonly user: UserRow; readonly isNew: boolean }> {
    const { address } = source;
    const [known] = await this.database.query(findUserByEmail, [email]);
    if (!known) {
      const problem = passwordProblem(password, email);
      if (problem !== null) throw new AppError(serviceErrors.VALIDATION_FAILED, `\`password\` ${problem}`);
      const user = { id: newCuid(), email, name: name ?? email, passwordHash: await this.passwords.hash(password) };
      return { user, isNew: true };
    }
    await this.throttle.count({ email, address });
    if (!(await this.passwords.verify(known.passwordHash, password))) {
      this.failures.record(known, source);
      throw new AppError(gatewayErrors.UNAUTHORIZED, 'Wrong password: give the one of your account');
    }
    await this.throttle.forgive({ email, address });
    return { user: known, isNew: false };
  }

  private async insert(tx: Transaction, { id, email, name, passwordHash }: UserRow): Promise<void> {
    const [made] = await tx.query(insertUser, [id, email, name, passwordHash]);
    if (!made) throw new AppError(serviceErrors.CONFLICT, 'An account of this address was made at the same moment');
  }
}

function goneInvite(): AppError {
  return new AppError(serviceErrors.NOT_FOUND, 'The invitation was used, withdrawn, has expired or does not exist');
}
