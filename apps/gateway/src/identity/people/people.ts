import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@switchboard/postgres';
import { CLOCK, type Clock } from '@switchboard/platform';
import type { Scope } from '../admission.contract.js';
import { ChangePassword } from '../change-password/change-password.js';
import { DatabaseInvites } from '../invite/invites.js';
import { DatabaseMembers } from '../member/members.js';
import { ManageSecondFactor } from '../manage-second-factor/manage-second-factor.js';
import type { People, PlanState, SignIn } from '../people.contract.js';
import { paymentRefusalOf } from '../plan/plan.policy.js';
import { findPlanState } from '../plan/plan.repository.js';
import { DatabaseSessions } from '../session/sessions.js';
import { SignInByPassword } from '../sign-in/sign-in.js';

/** People in the service's own tables; see the contract for what is promised. */
@Injectable()
export class DatabasePeople implements People {
  readonly signIn: SignIn;

  constructor(
    readonly sessions: DatabaseSessions,
    readonly members: DatabaseMembers,
    readonly invites: DatabaseInvites,
    readonly secondFactors: ManageSecondFactor,
    signIn: SignInByPassword,
    changePassword: ChangePassword,
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.signIn = {
      signIn: (attempt, source) => signIn.execute(attempt, source),
      changePassword: (signedIn, change, source) => changePassword.execute(signedIn, change, source),
    };
  }

  async planOf(organizationId: string): Promise<PlanState> {
    const [state] = await this.database.query(findPlanState, [organizationId, new Date(this.clock.now())]);
    if (!state) throw new Error('there is no such organization');
    return state;
  }

  async paidFor(organizationId: string, scope: Scope): ReturnType<People['paidFor']> {
    const { plan, subscriptionStatus: status, excludedScopes, messagesPerMonth } = await this.planOf(organizationId);
    return { refusal: paymentRefusalOf({ plan, status, excludedScopes }, scope), messagesPerMonth };
  }
}
