import { Inject, Injectable } from '@nestjs/common';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { Database } from '@switchboard/postgres';
import { CLOCK, type Clock } from '@switchboard/platform';
import { appendAudits } from '../audit/audit.repository.js';
import { signedInAct } from '../audit/user-act.policy.js';
import { DeviceCookies } from '../device/device-cookies.js';
import { lastOrganizationOfUser } from '../member/member.repository.js';
import { CheckPassword } from '../password/check-password.js';
import type { SignIn } from '../people.contract.js';
import type { ActSource, NewSession } from '../signed-in.contract.js';
import { CheckSecondFactor, requireSameFactor } from '../second-factor/check-second-factor.js';
import { beginSession } from '../session/begin-session.js';
import { endFormerSession } from '../session/end-former-session.js';
import { emailKey } from '../user/email.policy.js';

type Attempt = Parameters<SignIn['signIn']>[0];

/** Signs a person in by their password. See `SignIn.signIn` of the contract. */
@Injectable()
export class SignInByPassword {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly check: CheckPassword,
    private readonly codes: CheckSecondFactor,
    private readonly devices: DeviceCookies,
  ) {}

  async execute(attempt: Attempt, source: ActSource): Promise<NewSession> {
    const email = emailKey(attempt.email);
    const { account: user, isRight } = await this.check.ofEmail(email, attempt.password, source);
    if (!user || !isRight) throw wrongCredentials();
    const passed = await this.codes.pass(user, attempt.code ?? null, source);
    const [last] = await this.database.query(lastOrganizationOfUser, [user.id]);
    if (!last) throw new AppError(gatewayErrors.FORBIDDEN, 'You belong to no organization any more');
    const owner = { userId: user.id, organizationId: last.organizationId, passwordHash: user.passwordHash, source };
    const begun = await this.database.transaction(
      async (tx) => {
        const nowMs = this.clock.now();
        const session = await beginSession(tx, owner, new Date(nowMs), null);
        const ended = await endFormerSession(tx, attempt.formerSecret, nowMs, source);
        await requireSameFactor(tx, user.id, passed);
        const begun = session && {
          ...signedInAct(session.signedIn, source),
          action: 'user.signed-in' as const,
          before: null,
          after: { role: session.signedIn.role, ...passed },
        };
        appendAudits(tx, begun ? [...ended, begun] : ended);
        return session;
      },
      { tenant: owner.organizationId },
    );
    // The password changed, or the membership ended, after the check.
    if (!begun) throw wrongCredentials();
    return { ...begun, deviceCookie: this.devices.renewed(source.browser?.deviceCookie ?? null, user) };
  }
}

function wrongCredentials(): AppError {
  return new AppError(gatewayErrors.UNAUTHORIZED, 'Wrong email or password');
}
