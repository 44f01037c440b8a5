import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { Database, type Transaction } from '@switchboard/postgres';
import { CLOCK, type Clock } from '@switchboard/platform';
import type { AuditAction } from '../audit.contract.js';
import { appendAudit } from '../audit/audit.repository.js';
import { lockOrganizationPeople } from '../member/member.repository.js';
import { requireOwning } from '../member/role.policy.js';
import { appendAuditOfPerson } from '../audit/append-audit-of-person.js';
import { signedInAct } from '../audit/user-act.policy.js';
import { CheckPassword } from '../password/check-password.js';
import { DeviceCookies } from '../device/device-cookies.js';
import type {
  EnabledSecondFactor,
  NewSecondFactor,
  SecondFactors,
  SecondFactorState,
} from '../second-factor.contract.js';
import type { ActSource, SignedIn } from '../signed-in.contract.js';
import { CheckSecondFactor } from '../second-factor/check-second-factor.js';
import { hashOfRecoveryCode, newRecoveryCodes } from '../second-factor/recovery-code.policy.js';
import { SecondFactorSeeds } from '../second-factor/second-factor-seeds.js';
import {
  deleteRecoveryCodes,
  deleteSecondFactor,
  enableSecondFactor,
  hasSecondFactor,
  insertRecoveryCodes,
  insertSecondFactor,
  requireSecondFactor,
  secondFactorState,
} from '../second-factor/second-factor.repository.js';
import { newSeed, seedUri } from '../second-factor/time-code.policy.js';
import { roleInSession } from '../session/hold-session.js';
import { endSessionsOfUser } from '../session/session.repository.js';
import { lockUser } from '../user/user.repository.js';

type Proof = Parameters<SecondFactors['disable']>[1];

/** What a person does with their second factor; see the contract for what is promised. */
@Injectable()
export class ManageSecondFactor implements SecondFactors {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly seeds: SecondFactorSeeds,
    private readonly passwords: CheckPassword,
    private readonly codes: CheckSecondFactor,
    private readonly devices: DeviceCookies,
  ) {}

  async state({ user, organization }: SignedIn): Promise<SecondFactorState> {
    const [row] = await this.database.query(secondFactorState, [user.id, organization.id]);
    if (!row) throw new Error('the organization of a session does not exist');
    return row;
  }

  async begin(signedIn: SignedIn, password: string, source: ActSource): Promise<NewSecondFactor> {
    const { user } = signedIn;
    await this.requirePassword(signedIn, password, source);
    const seed = newSeed();
    await this.act(signedIn, async (tx) => {
      const values = [user.id, await this.seeds.seal(tx, user.id, seed), new Date(this.clock.now())];
      const [begun] = await tx.query(insertSecondFactor, values);
      if (!begun) throw new AppError(serviceErrors.CONFLICT, 'You have a second factor already; disable it first');
    });
    return { seed, uri: seedUri(seed, user.email) };
  }

  async enable(signedIn: SignedIn, code: string, source: ActSource): Promise<EnabledSecondFactor> {
    const { user, sessionId } = signedIn;
    if ((await this.state(signedIn)).enabledAt) throw new AppError(serviceErrors.CONFLICT, NOT_BEGUN);
    await this.codes.require(user, code, source);
    return this.act(signedIn, async (tx) => {
      const [enabled] = await tx.query(enableSecondFactor, [user.id, new Date(this.clock.now())]);
      if (!enabled) throw new AppError(serviceErrors.CONFLICT, NOT_BEGUN);
      // They were begun by the password alone.
      await tx.query(endSessionsOfUser, [user.id, null, sessionId]);
      const recoveryCodes = await renewCodes(tx, user.id);
      await this.note(tx, signedIn, source, 'user.second-factor-enabled');
      const account = { email: user.email, deviceEpoch: enabled.deviceEpoch };
      return { recoveryCodes, deviceCookie: this.devices.renewed(source.browser?.deviceCookie ?? null, account) };
    });
  }

  async disable(signedIn: SignedIn, proof: Proof, source: ActSource): Promise<void> {
    await this.prove(signedIn, proof, source);
    await this.act(signedIn, async (tx) => {
      const [deleted] = await tx.query(deleteSecondFactor, [signedIn.user.id]);
      if (!deleted) throw new AppError(serviceErrors.CONFLICT, NOT_ENABLED);
      await this.note(tx, signedIn, source, 'user.second-factor-disabled');
    });
  }

  async renewRecoveryCodes(signedIn: SignedIn, proof: Proof, source: ActSource): Promise<readonly string[]> {
    await this.prove(signedIn, proof, source);
    return this.act(signedIn, async (tx) => {
      // It may have been disabled since it was proven.
      const [has] = await tx.query(hasSecondFactor, [signedIn.user.id]);
      if (has?.is !== true) throw new AppError(serviceErrors.CONFLICT, NOT_ENABLED);
      const recoveryCodes = await renewCodes(tx, signedIn.user.id);
      await this.note(tx, signedIn, source, 'user.recovery-codes-renewed');
      return recoveryCodes;
    });
  }

  async requireIn(signedIn: SignedIn, isRequired: boolean, source: ActSource): Promise<void> {
    const { organization, sessionId } = signedIn;
    await this.database.transaction(
      async (tx) => {
        await tx.query(lockOrganizationPeople, [organization.id]);
        requireOwning(await roleInSession(tx, sessionId, organization.id));
        const [changed] = await tx.query(requireSecondFactor, [organization.id, isRequired]);
        if (!changed) return;
        const [before, after] = [{ isSecondFactorRequired: !isRequired }, { isSecondFactorRequired: isRequired }];
        const act = signedInAct(signedIn, source);
        appendAudit(tx, { ...act, action: 'organization.second-factor-changed', before, after });
      },
      { tenant: organization.id },
    );
  }

  /** Whoever has the session of another must not change how they sign in. */
  private async prove(signedIn: SignedIn, { password, code }: Proof, source: ActSource): Promise<void> {
    if (!(await this.state(signedIn)).enabledAt) throw new AppError(serviceErrors.CONFLICT, NOT_ENABLED);
    await this.requirePassword(signedIn, password, source);
    await this.codes.require(signedIn.user, code, source);
  }

  private async requirePassword({ user }: SignedIn, password: string, source: ActSource): Promise<void> {
    if (await this.passwords.ofPerson(user, password, source, 'user.password-check-failed')) return;
    throw new AppError(serviceErrors.VALIDATION_FAILED, '`password` must be your current password');
  }

  /** In one transaction, with the person locked and the session held. */
  private act<Result>(signedIn: SignedIn, work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return this.database.transaction(
      async (tx) => {
        await tx.query(lockUser, [signedIn.user.id]);
        await roleInSession(tx, signedIn.sessionId, signedIn.organization.id);
        return work(tx);
      },
      { tenant: signedIn.organization.id },
    );
  }

  private async note(tx: Transaction, signedIn: SignedIn, source: ActSource, action: AuditAction): Promise<void> {
    const act = signedInAct(signedIn, source);
    await appendAuditOfPerson(tx, signedIn.user.id, { ...act, action, before: null, after: null });
  }
}

const NOT_BEGUN = 'There is no second factor that waits for its first code';
const NOT_ENABLED = 'You have no second factor';

/** Makes new recovery codes; the former ones are no longer valid. */
async function renewCodes(tx: Transaction, userId: string): Promise<readonly string[]> {
  const recoveryCodes = newRecoveryCodes();
  await tx.query(deleteRecoveryCodes, [userId]);
  await tx.query(insertRecoveryCodes, [userId, recoveryCodes.map(hashOfRecoveryCode)]);
  return recoveryCodes;
}
