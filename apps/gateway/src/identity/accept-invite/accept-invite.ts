import { Inject, Injectable } from '@nestjs/common';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { Database, type Transaction } from '@switchboard/postgres';
import { CLOCK, type Clock } from '@switchboard/platform';
import { appendAudits } from '../audit/audit.repository.js';
import { signedInAct } from '../audit/user-act.policy.js';
import { DeviceCookies } from '../device/device-cookies.js';
import { findRole, insertMembership, lockOrganizationPeople } from '../member/member.repository.js';
import { mayManage } from '../member/role.policy.js';
import { CheckPassword } from '../password/check-password.js';
import { passwordProblem } from '../password/password.policy.js';
import { Passwords } from '../password/passwords.js';
import type { Invites } from '../people.contract.js';
import type { ActSource, NewSession } from '../signed-in.contract.js';
import {
  CheckSecondFactor,
  NO_SECOND_FACTOR,
  requireSameFactor,
  type PassedFactor,
} from '../second-factor/check-second-factor.js';
import { hashOfSecret, isPlausibleSecret } from '../secret/secret.policy.js';
import { beginSession } from '../session/begin-session.js';
import { endFormerSession } from '../session/end-former-session.js';
import { DatabaseSessions } from '../session/sessions.js';
import { insertUser, nameUser, type UserRow } from '../user/user.repository.js';
import { deleteInvite, findInviteOfSecret, type FoundInvite } from '../invite/invite.repository.js';
import { requireSeat } from '../invite/seats.js';

type Acceptance = Parameters<Invites['accept']>[0];

/** Who accepts, and how they are known. */
type Accepting =
  | { readonly by: 'session'; readonly userId: string; readonly sessionId: string }
  | { readonly by: 'password' | 'new-account'; readonly user: UserRow; readonly passed: PassedFactor };

/** Accepting an invitation; see the contract for what is promised. */
@Injectable()
export class AcceptInvite {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly passwords: Passwords,
    private readonly check: CheckPassword,
    private readonly codes: CheckSecondFactor,
    private readonly devices: DeviceCookies,
    private readonly sessions: DatabaseSessions,
  ) {}

  async accept(acceptance: Acceptance, source: ActSource): Promise<NewSession> {
    const { secret, formerSecret } = acceptance;
    const values = [hashOfSecret(secret), new Date(this.clock.now())];
    const [invite] = isPlausibleSecret(secret) ? await this.database.query(findInviteOfSecret, values) : [];
    if (!invite) throw goneInvite();
    // Hashing takes a while: not in the transaction.
    const accepting = await this.personOf(invite, acceptance, source);
    return this.database.transaction(
      async (tx) => {
        const membershipId = await this.join(tx, invite, accepting);
        if (accepting.by === 'password' && acceptance.name !== null) {
          await tx.query(nameUser, [accepting.user.id, acceptance.name]);
        }
        const begun = await this.begin(tx, invite, accepting, source);
        const { id, email, role } = invite;
        const act = signedInAct(begun.signedIn, source);
        const after = { id: membershipId, role };
        const passed = accepting.by === 'session' ? NO_SECOND_FACTOR : accepting.passed;
        appendAudits(tx, [
          ...(await endFormerSession(tx, formerSecret, this.clock.now(), source)),
          { ...act, action: 'invite.accepted', before: { id, email, role }, after },
          { ...act, action: 'user.signed-in', before: null, after: { role, ...passed } },
        ]);
        if (accepting.by !== 'session') await requireSameFactor(tx, accepting.user.id, passed);
        // Who accepts in a session has the device's cookie from its beginning.
        if (accepting.by === 'session') return begun;
        return { ...begun, deviceCookie: this.devices.renewed(source.browser?.deviceCookie ?? null, accepting.user) };
      },
      { tenant: invite.organizationId },
    );
  }

  /** Uses the invitation up. @returns the id of the membership */
  private async join(tx: Transaction, invite: FoundInvite, accepting: Accepting): Promise<string> {
    const { organizationId, role } = invite;
    const [locked] = await tx.query(lockOrganizationPeople, [organizationId]);
    const [deleted] = await tx.query(deleteInvite, [invite.id]);
    const [maker] = deleted ? await tx.query(findRole, [organizationId, invite.invitedBy]) : [];
    // The maker's right was judged when they invited; they may have lost it since.
    if (!maker || !mayManage(maker.role, role)) throw goneInvite();
    await requireSeat(tx, organizationId, locked?.seats ?? 0, new Date(this.clock.now()));
    if (accepting.by === 'new-account') await insertAccount(tx, accepting.user);
    const userId = accepting.by === 'session' ? accepting.userId : accepting.user.id;
    const [joined] = await tx.query(insertMembership, [newCuid(), organizationId, userId, role]);
    if (!joined) throw new AppError(serviceErrors.CONFLICT, 'You are a member of this organization already');
    return joined.id;
  }

  private async begin(
    tx: Transaction,
    { organizationId }: FoundInvite,
    accepting: Accepting,
    source: ActSource,
  ): Promise<NewSession> {
    const now = new Date(this.clock.now());
    const isInSession = accepting.by === 'session';
    const owner = isInSession
      ? { userId: accepting.userId, passwordHash: null }
      : { userId: accepting.user.id, passwordHash: accepting.user.passwordHash };
    const begun = await beginSession(
      tx,
      { ...owner, organizationId, source },
      now,
      isInSession ? accepting.sessionId : null,
    );
    if (!begun) throw new AppError(serviceErrors.CONFLICT, 'The password was changed at the same moment');
    return begun;
  }

  /**
   * Who accepts: the person whose address was invited, by their session or password, or a new one with the password they
   * want. Counts, works and refuses alike with an account and without, as long as the password suits neither.
   */
  private async personOf(
    { email, organizationName }: FoundInvite,
    { name, password, code = null, formerSecret }: Acceptance,
    source: ActSource,
  ): Promise<Accepting> {
    const signedIn = formerSecret === null ? null : await this.sessions.find(formerSecret);
    if (signedIn?.user.email === email) {
      return { by: 'session', userId: signedIn.user.id, sessionId: signedIn.sessionId };
    }
    if (password === null) throw new AppError(serviceErrors.VALIDATION_FAILED, PASSWORD_OR_SESSION);
    const problem = passwordProblem(password, { email, organizations: [organizationName] });
    const { account, isRight } = await this.check.ofEmail(email, password, source, problem === null);
    if (account && isRight) {
      return { by: 'password', user: account, passed: await this.codes.pass(account, code, source) };
    }
    if (problem !== null) throw new AppError(serviceErrors.VALIDATION_FAILED, `\`password\` ${problem}`);
    if (account) throw new AppError(gatewayErrors.UNAUTHORIZED, SIGN_IN_OR_PASSWORD);
    const passwordHash = await this.passwords.hash(password);
    const user = { id: newCuid(), email, name: name ?? email, passwordHash, deviceEpoch: 0 };
    return { by: 'new-account', user, passed: NO_SECOND_FACTOR };
  }
}

async function insertAccount(tx: Transaction, { id, email, name, passwordHash }: UserRow): Promise<void> {
  const [made] = await tx.query(insertUser, [id, email, name, passwordHash]);
  if (!made) throw new AppError(serviceErrors.CONFLICT, 'An account of this address was made at the same moment');
}

const PASSWORD_OR_SESSION = '`password` is required without a session of the invited address';
const SIGN_IN_OR_PASSWORD = 'Sign in to the account of the invited address, or give its password';

function goneInvite(): AppError {
  return new AppError(serviceErrors.NOT_FOUND, 'The invitation was used, withdrawn, has expired or does not exist');
}
