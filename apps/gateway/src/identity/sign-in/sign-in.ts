import { Inject, Injectable } from '@nestjs/common';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { Database } from '@switchboard/postgres';
import { CLOCK, type Clock } from '@switchboard/platform';
import { appendAuditOfPerson } from '../audit/append-audit-of-person.js';
import { appendAudit } from '../audit/audit.repository.js';
import { signedInAct } from '../audit/user-act.policy.js';
import { LoginThrottle } from '../login-throttle/login-throttle.js';
import { firstOrganizationOfUser } from '../membership/membership.repository.js';
import { passwordProblem } from '../password/password.policy.js';
import { Passwords } from '../password/passwords.js';
import type { ActSource, NewSession, SignedIn, SignIn } from '../people.contract.js';
import { hashOfSecret } from '../secret/secret.policy.js';
import { beginSession } from '../session/begin-session.js';
import { sessionHasEnded } from '../session/hold-session.js';
import { endSessionOfSecret, endSessionsOfUser } from '../session/session.repository.js';
import { emailKey } from '../user/email.policy.js';
import { changePasswordHash, findUser, findUserByEmail, type UserRow } from '../user/user.repository.js';
import { FailedSignIns } from './failed-sign-ins.js';

/** Signing in over the service's own tables; see the contract for what is promised. */
@Injectable()
export class DatabaseSignIn implements SignIn {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly passwords: Passwords,
    private readonly throttle: LoginThrottle,
    private readonly failures: FailedSignIns,
  ) {}

  async signIn(
    attempt: { readonly email: string; readonly password: string; readonly formerSecret: string | null },
    source: ActSource,
  ): Promise<NewSession> {
    const email = emailKey(attempt.email);
    const user = await this.checked(email, attempt.password, source);
    const [first] = await this.database.query(firstOrganizationOfUser, [user.id]);
    if (!first) throw new AppError(gatewayErrors.FORBIDDEN, 'You belong to no organization any more');
    const owner = { userId: user.id, organizationId: first.organizationId, passwordHash: user.passwordHash };
    const begun = await this.database.transaction(async (tx) => {
      const session = await beginSession(tx, owner, new Date(this.clock.now()), null);
      if (attempt.formerSecret !== null) await tx.query(endSessionOfSecret, [hashOfSecret(attempt.formerSecret)]);
      if (session) {
        const { role } = session.signedIn;
        appendAudit(tx, {
          ...signedInAct(session.signedIn, source),
          action: 'user.signed-in',
          before: null,
          after: { role },
        });
      }
      return session;
    });
    // Between the check and the session the password changed, or the membership ended.
    if (!begun) throw wrongCredentials();
    return begun;
  }

  async changePassword(
    signedIn: SignedIn,
    { current, next }: { readonly current: string; readonly next: string },
    source: ActSource,
  ): Promise<NewSession> {
    const { sessionId, user: person, organization } = signedIn;
    const { id, email } = person;
    const problem = passwordProblem(next, email);
    if (problem !== null) throw new AppError(gatewayErrors.VALIDATION_FAILED, `\`new\` ${problem}`);
    // A stolen session must not allow more attempts than the sign-in page does.
    const attempt = { email, address: source.address };
    await this.throttle.count(attempt);
    const [user] = await this.database.query(findUser, [id]);
    if (!user || !(await this.passwords.verify(user.passwordHash, current))) {
      this.failures.record(person, source, 'user.password-change-failed');
      throw new AppError(gatewayErrors.VALIDATION_FAILED, '`current` must be your current password');
    }
    await this.throttle.forgive(attempt);
    const passwordHash = await this.passwords.hash(next);
    return this.database.transaction(async (tx) => {
      const [changed] = await tx.query(changePasswordHash, [id, user.passwordHash, passwordHash]);
      if (!changed) throw new AppError(gatewayErrors.CONFLICT, 'The password was changed elsewhere at the same moment');
      const owner = { userId: id, organizationId: organization.id, passwordHash };
      const begun = await beginSession(tx, owner, new Date(this.clock.now()), sessionId);
      if (!begun) throw sessionHasEnded();
      await tx.query(endSessionsOfUser, [id, null, begun.signedIn.sessionId]);
      const act = signedInAct(signedIn, source);
      await appendAuditOfPerson(tx, id, { ...act, action: 'user.password-changed', before: null, after: null });
      return begun;
    });
  }

  /** The person whose password it is. An unknown address costs the same work as a wrong password. */
  private async checked(email: string, password: string, source: ActSource): Promise<UserRow> {
    const { address } = source;
    await this.throttle.count({ email, address });
    const [user] = await this.database.query(findUserByEmail, [email]);
    const isRight = await this.passwords.verify(user?.passwordHash ?? null, password);
    if (user && !isRight) this.failures.record(user, source);
    if (!user || !isRight) throw wrongCredentials();
    await this.throttle.forgive({ email, address });
    return user;
  }
}

function wrongCredentials(): AppError {
  return new AppError(gatewayErrors.UNAUTHORIZED, 'Wrong email or password');
}
