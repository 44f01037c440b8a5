import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { Database } from '@switchboard/postgres';
import { CLOCK, type Clock } from '@switchboard/platform';
import { appendAuditOfPerson } from '../audit/append-audit-of-person.js';
import { signedInAct } from '../audit/user-act.policy.js';
import { DeviceCookies } from '../device/device-cookies.js';
import { organizationsOfUser } from '../member/member.repository.js';
import { CheckPassword } from '../password/check-password.js';
import { normalPassword, passwordProblem } from '../password/password.policy.js';
import { Passwords } from '../password/passwords.js';
import type { SignIn } from '../people.contract.js';
import type { ActSource, NewSession, SignedIn } from '../signed-in.contract.js';
import { beginSession } from '../session/begin-session.js';
import { sessionHasEnded } from '../session/hold-session.js';
import { endSessionsOfUser } from '../session/session.repository.js';
import { changePasswordHash } from '../user/user.repository.js';

type Change = Parameters<SignIn['changePassword']>[1];

/** Changes the password of a person who is signed in. See `SignIn.changePassword` of the contract. */
@Injectable()
export class ChangePassword {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly passwords: Passwords,
    private readonly check: CheckPassword,
    private readonly devices: DeviceCookies,
  ) {}

  async execute(signedIn: SignedIn, { current, next }: Change, source: ActSource): Promise<NewSession> {
    const { sessionId, user: person, organization } = signedIn;
    const { id, email } = person;
    const organizations = (await this.database.query(organizationsOfUser, [id])).map(({ name }) => name);
    const problem = passwordProblem(next, { email, organizations });
    if (problem !== null) throw new AppError(serviceErrors.VALIDATION_FAILED, `\`new\` ${problem}`);
    const user = await this.check.ofPerson(person, current, source);
    if (!user) throw new AppError(serviceErrors.VALIDATION_FAILED, '`current` must be your current password');
    if (normalPassword(next) === normalPassword(current)) {
      throw new AppError(serviceErrors.VALIDATION_FAILED, '`new` must not be your current password');
    }
    const passwordHash = await this.passwords.hash(next, 'known');
    return this.database.transaction(
      async (tx) => {
        const [changed] = await tx.query(changePasswordHash, [id, user.passwordHash, passwordHash]);
        if (!changed)
          throw new AppError(serviceErrors.CONFLICT, 'The password was changed elsewhere at the same moment');
        const owner = { userId: id, organizationId: organization.id, passwordHash, source };
        const begun = await beginSession(tx, owner, new Date(this.clock.now()), sessionId);
        if (!begun) throw sessionHasEnded();
        await tx.query(endSessionsOfUser, [id, null, begun.signedIn.sessionId]);
        const act = signedInAct(signedIn, source);
        await appendAuditOfPerson(tx, id, { ...act, action: 'user.password-changed', before: null, after: null });
        const account = { email, deviceEpoch: changed.deviceEpoch };
        return { ...begun, deviceCookie: this.devices.renewed(source.browser?.deviceCookie ?? null, account) };
      },
      { tenant: organization.id },
    );
  }
}
