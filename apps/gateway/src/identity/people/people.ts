import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@switchboard/postgres';
import { CLOCK, type Clock } from '@switchboard/platform';
import { DatabaseInvites } from '../invite/invites.js';
import { DatabaseMembers } from '../member/members.js';
import type { People, PlanState } from '../people.contract.js';
import { findPlanState } from '../plan/plan.repository.js';
import { DatabaseSessions } from '../session/sessions.js';
import { DatabaseSignIn } from '../sign-in/sign-in.js';

/** People in the service's own tables; see the contract for what is promised. */
@Injectable()
export class DatabasePeople implements People {
  constructor(
    readonly sessions: DatabaseSessions,
    readonly signIn: DatabaseSignIn,
    readonly members: DatabaseMembers,
    readonly invites: DatabaseInvites,
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async planOf(organizationId: string): Promise<PlanState> {
    const [state] = await this.database.query(findPlanState, [organizationId, new Date(this.clock.now())]);
    if (!state) throw new Error('there is no such organization');
    return state;
  }
}
